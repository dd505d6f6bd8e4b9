/* A ring under one lock; one condition for all that wait. */
#include "base/queue.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/timestamp.h"

void queue_init(struct queue *queue, size_t room)
{
	pthread_condattr_t monotonic;

	*queue = (struct queue){.at = xcalloc(room, sizeof *queue->at), .room = room};
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void queue_release(struct queue *queue)
{
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
	free(queue->at);
}

bool queue_put(struct queue *queue, void *thing)
{
	bool put;

	pthread_mutex_lock(&queue->lock);
	while (queue->count == queue->room && !queue->ended)
		pthread_cond_wait(&queue->changed, &queue->lock);
	put = !queue->ended;
	if (put)
		queue->at[(queue->first + queue->count++) % queue->room] = thing;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return put;
}

void *queue_take(struct queue *queue)
{
	void *thing = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!queue->count && !queue->ended)
		pthread_cond_wait(&queue->changed, &queue->lock);
	if (queue->count) {
		thing = queue->at[queue->first];
		queue->first = (queue->first + 1) % queue->room;
		queue->count--;
	}
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return thing;
}

bool queue_wait(struct queue *queue, int64_t wait_ns)
{
	struct timespec until;
	bool ready;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (until.tv_nsec + wait_ns) / NS_PER_S;
	until.tv_nsec = (until.tv_nsec + wait_ns) % NS_PER_S;
	pthread_mutex_lock(&queue->lock);
	while (!queue->count && !queue->ended && rc == 0)
		rc = pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
	ready = queue->count || queue->ended;
	pthread_mutex_unlock(&queue->lock);
	return ready;
}

void queue_end(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}
