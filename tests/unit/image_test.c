/* Images in pieces: whatever crosses from one into the next, and what is cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/report_image.h"

#define NUMBERS	   300000
#define LONG_BYTES (3 * IMAGE_PIECE)

/* All pieces, one behind the other. */
struct pieces {
	struct strbuf bytes;
	size_t count, at;
};

static bool take_piece(void *context, const char *bytes, size_t len)
{
	struct pieces *pieces = context;

	strbuf_add(&pieces->bytes, bytes, len);
	pieces->count++;
	return true;
}

static bool give_piece(void *context, char *bytes, size_t len)
{
	struct pieces *pieces = context;

	assert_true(pieces->bytes.len - pieces->at >= len);
	memcpy(bytes, pieces->bytes.text + pieces->at, len);
	pieces->at += len;
	return true;
}

static bool no_piece(void *context, const char *bytes, size_t len)
{
	(void)context, (void)bytes, (void)len;
	return false;
}

/* Numbers of all lengths, and a text that is longer than a piece. */
static void put_all(struct image *im)
{
	char *text = xmalloc(LONG_BYTES + 1);

	memset(text, 'x', LONG_BYTES);
	text[LONG_BYTES] = '\0';
	for (uint64_t i = 0; i < NUMBERS; i++) {
		uint64_t n = UINT64_C(1) << i % 64;

		image_u64(im, &n);
	}
	image_text(im, &text);
	free(text);
}

static bool are_all(struct image *im)
{
	bool right = true;
	char *text;

	for (uint64_t i = 0; i < NUMBERS; i++) {
		uint64_t n = 0;

		image_u64(im, &n);
		right = right && n == UINT64_C(1) << i % 64;
	}
	image_text(im, &text);
	right = right && text && strlen(text) == LONG_BYTES;
	free(text);
	return right && image_is_sound(im);
}

static void in_pieces(void **state)
{
	struct pieces pieces = {.count = 0};
	struct image im, whole;

	(void)state;
	strbuf_init(&pieces.bytes);
	image_write_to(&im, take_piece, &pieces);
	put_all(&im);
	assert_true(image_end(&im));
	assert_true(pieces.count > 2);
	assert_int_equal(im.len, pieces.bytes.len);
	image_write(&whole);
	put_all(&whole);
	assert_int_equal(whole.bytes.len, pieces.bytes.len);
	assert_memory_equal(whole.bytes.text, pieces.bytes.text, whole.bytes.len);
	image_release(&whole);
	image_release(&im);
	for (size_t cut = 0; cut < 2; cut++) {
		pieces.at = 0;
		image_read_from(&im, give_piece, &pieces, pieces.bytes.len - cut);
		assert_int_equal(are_all(&im), !cut);
		image_release(&im);
	}
	strbuf_release(&pieces.bytes);
}

static void none_is_taken(void **state)
{
	struct image im;

	(void)state;
	image_write_to(&im, no_piece, NULL);
	put_all(&im);
	assert_false(image_end(&im));
	image_release(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(none_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
