/* Two queues of batches: filled ones to the thread, and back what it is done with. */
#include "store/internal.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/queue.h"

/* On their way at most: enough for neither thread to wait for the other's every batch. */
#define BATCHES 4

/* The first ones are worked on at once: most runs are over before a thread pays. */
#define BATCHES_AT_ONCE 8

struct writer_thread {
	writer_thread_work *work;
	void *context;
	size_t at_once; /* batches worked on by the caller's thread */
	pthread_t thread;
	struct sample_batch batch[BATCHES];
	struct queue filled, empty; /* the second is ended where the work failed */
	bool started; /* the thread is there */
	bool failed; /* with this, the thread's until then: */
	struct error error;
};

static void *run(void *context)
{
	struct writer_thread *w = context;
	struct sample_batch *batch;

	while ((batch = queue_take(&w->filled))) {
		if (!w->failed && w->work(w->context, batch, &w->error) < 0) {
			w->failed = true;
			queue_end(&w->empty);
		}
		queue_put(&w->empty, batch);
	}
	return NULL;
}

struct writer_thread *writer_thread_new(writer_thread_work *work, void *context)
{
	struct writer_thread *w = xcalloc(1, sizeof *w);

	w->work = work;
	w->context = context;
	queue_init(&w->filled, BATCHES);
	queue_init(&w->empty, BATCHES);
	for (size_t i = 0; i < BATCHES; i++) {
		sample_batch_init(&w->batch[i]);
		queue_put(&w->empty, &w->batch[i]);
	}
	return w;
}

int writer_thread_add(
	struct writer_thread *w, struct sample_batch *batch, struct error *err)
{
	struct sample_batch *empty;

	if (!w->started && w->at_once++ >= BATCHES_AT_ONCE)
		w->started = pthread_create(&w->thread, NULL, run, w) == 0;
	if (!w->started)
		return w->work(w->context, batch, err);
	empty = queue_take(&w->empty);
	if (!empty) {
		*err = w->error;
		return -1;
	}
	sample_batch_swap(batch, empty);
	queue_put(&w->filled, empty);
	return 0;
}

int writer_thread_end(struct writer_thread *w, struct error *err)
{
	bool failed;

	if (!w)
		return 0;
	queue_end(&w->filled);
	if (w->started)
		pthread_join(w->thread, NULL);
	failed = w->failed;
	if (failed)
		*err = w->error;
	for (size_t i = 0; i < BATCHES; i++)
		sample_batch_release(&w->batch[i]);
	queue_release(&w->filled);
	queue_release(&w->empty);
	free(w);
	return failed ? -1 : 0;
}
