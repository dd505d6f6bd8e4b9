/*
 * A queue between threads: first in, first out, of no more things than it has room for.
 * Which thread may put or take is up to its users; any may.
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue {
	pthread_mutex_t lock; /* of the following */
	pthread_cond_t changed;
	void **at; /* [room] borrowed things; a ring */
	size_t room, first, count;
	bool ended;
};

void queue_init(struct queue *queue, size_t room);
void queue_release(struct queue *queue); /* no thread waits for it any more */

/* Waits while it is full. False: it was ended, and has not taken the thing. */
bool queue_put(struct queue *queue, void *thing);

/* Waits while it is empty. NULL: it was ended, and all that was put was taken. */
void *queue_take(struct queue *queue);

/* Waits so long at most. True: queue_take would not wait, if nobody else takes. */
bool queue_wait(struct queue *queue, int64_t wait_ns);

/* Nothing more is put, nobody waits any more. What is in it can still be taken. */
void queue_end(struct queue *queue);

#endif
