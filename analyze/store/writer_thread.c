/* A ring of batches between two threads: one lock, one condition in each direction. */
#include "store/internal.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

/* On their way at most: enough for neither thread to wait for the other's every batch. */
#define BATCHES 4

/* The first ones are worked on at once: most runs are over before a thread pays. */
#define BATCHES_AT_ONCE 8

struct writer_thread {
	writer_thread_work *work;
	void *context;
	size_t at_once; /* batches worked on by the caller's thread */
	bool started; /* the thread is there */
	pthread_t thread;
	pthread_mutex_t lock; /* of the following */
	pthread_cond_t filled, emptied;
	struct sample_batch batch[BATCHES];
	size_t first, count; /* filled ones; the first may be in work */
	bool ended; /* no more will come */
	bool failed; /* with this: */
	struct error error;
};

struct writer_thread *writer_thread_new(writer_thread_work *work, void *context)
{
	struct writer_thread *b = xcalloc(1, sizeof *b);

	b->work = work;
	b->context = context;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->filled, NULL);
	pthread_cond_init(&b->emptied, NULL);
	return b;
}

static void work_on(struct writer_thread *b, const struct sample_batch *batch)
{
	struct error err;
	bool failed = b->failed || b->work(b->context, batch, &err) < 0;

	pthread_mutex_lock(&b->lock);
	if (failed && !b->failed)
		b->error = err;
	b->failed = failed;
	b->first = (b->first + 1) % BATCHES;
	b->count--;
	pthread_cond_signal(&b->emptied);
	pthread_mutex_unlock(&b->lock);
}

/* The next batch; NULL: there will be none. */
static const struct sample_batch *take(struct writer_thread *b)
{
	const struct sample_batch *batch = NULL;

	pthread_mutex_lock(&b->lock);
	while (!b->count && !b->ended)
		pthread_cond_wait(&b->filled, &b->lock);
	if (b->count)
		batch = &b->batch[b->first];
	pthread_mutex_unlock(&b->lock);
	return batch;
}

static void *run(void *context)
{
	struct writer_thread *b = context;
	const struct sample_batch *batch;

	while ((batch = take(b)))
		work_on(b, batch);
	return NULL;
}

static int give(struct writer_thread *b, struct sample_batch *batch, struct error *err)
{
	bool failed;

	pthread_mutex_lock(&b->lock);
	while (b->count == BATCHES)
		pthread_cond_wait(&b->emptied, &b->lock);
	failed = b->failed;
	if (failed)
		*err = b->error;
	else
		sample_batch_swap(batch, &b->batch[(b->first + b->count++) % BATCHES]);
	pthread_cond_signal(&b->filled);
	pthread_mutex_unlock(&b->lock);
	return failed ? -1 : 0;
}

/* false: the caller's thread goes on alone. */
static bool start(struct writer_thread *b)
{
	if (b->at_once++ < BATCHES_AT_ONCE ||
		pthread_create(&b->thread, NULL, run, b) != 0)
		return false;
	for (size_t i = 0; i < BATCHES; i++)
		sample_batch_init(&b->batch[i]);
	return true;
}

int writer_thread_add(
	struct writer_thread *b, struct sample_batch *batch, struct error *err)
{
	if (!b->started)
		b->started = start(b);
	return b->started ? give(b, batch, err) : b->work(b->context, batch, err);
}

int writer_thread_end(struct writer_thread *b, struct error *err)
{
	int rc;

	if (!b)
		return 0;
	pthread_mutex_lock(&b->lock);
	b->ended = true;
	pthread_cond_signal(&b->filled);
	pthread_mutex_unlock(&b->lock);
	if (b->started)
		pthread_join(b->thread, NULL);
	rc = b->failed ? -1 : 0;
	if (rc < 0)
		*err = b->error;
	for (size_t i = 0; b->started && i < BATCHES; i++)
		sample_batch_release(&b->batch[i]);
	pthread_cond_destroy(&b->emptied);
	pthread_cond_destroy(&b->filled);
	pthread_mutex_destroy(&b->lock);
	free(b);
	return rc;
}
