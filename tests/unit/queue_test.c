/*
 * A queue between threads: all things, once, in order; who waits goes on when it is
 * ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "base/queue.h"

#define THINGS 10000

struct numbers {
	struct queue queue;
	int at[THINGS];
	bool refused; /* the first that was put after the end */
};

static void *put_all(void *context)
{
	struct numbers *numbers = context;

	for (int i = 0; i < THINGS; i++) {
		numbers->at[i] = i;
		if (!queue_put(&numbers->queue, &numbers->at[i])) {
			numbers->refused = true;
			break;
		}
	}
	queue_end(&numbers->queue);
	return NULL;
}

static void all_come_in_order(void **state)
{
	static struct numbers numbers;

	(void)state;
	for (size_t room = 1; room <= 5; room += 2) {
		pthread_t thread;
		int *taken;
		int next = 0;

		queue_init(&numbers.queue, room);
		assert_int_equal(pthread_create(&thread, NULL, put_all, &numbers), 0);
		while ((taken = queue_take(&numbers.queue)))
			assert_int_equal(*taken, next++);
		assert_int_equal(next, THINGS);
		pthread_join(thread, NULL);
		assert_false(numbers.refused);
		queue_release(&numbers.queue);
	}
}

/* Who puts into a full queue is let go when it is ended; what is in it is still there. */
static void the_end_frees_who_waits(void **state)
{
	static struct numbers numbers;
	pthread_t thread;

	(void)state;
	queue_init(&numbers.queue, 2);
	assert_int_equal(pthread_create(&thread, NULL, put_all, &numbers), 0);
	assert_true(queue_wait(&numbers.queue, INT64_C(3600) * 1000000000));
	assert_ptr_equal(queue_take(&numbers.queue), &numbers.at[0]);
	queue_end(&numbers.queue);
	pthread_join(thread, NULL);
	assert_true(numbers.refused);
	for (int i = 1; queue_take(&numbers.queue); i++)
		assert_in_range(i, 1, 2);
	assert_null(queue_take(&numbers.queue));
	assert_true(queue_wait(&numbers.queue, 1));
	queue_release(&numbers.queue);
}

static void waiting_ends(void **state)
{
	struct queue queue;

	(void)state;
	queue_init(&queue, 1);
	assert_false(queue_wait(&queue, 1000000));
	assert_true(queue_put(&queue, &queue));
	assert_true(queue_wait(&queue, 0));
	assert_ptr_equal(queue_take(&queue), &queue);
	queue_release(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_come_in_order),
		cmocka_unit_test(the_end_frees_who_waits),
		cmocka_unit_test(waiting_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
