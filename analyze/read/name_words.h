/*
 * The words that wrapper scripts make the names of columns from
 * (schema/header_words.def): "gpu0_mem_used_mb" is the used memory of GPU 0, in MiB.
 */
#ifndef READ_NAME_WORDS_H
#define READ_NAME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* What a word may mean. */
#define MEANING(bit) (UINT64_C(1) << (bit))
#define GPU	     MEANING(0)
#define MEMORY	     MEANING(1)
#define UTILIZATION  MEANING(2)
#define USAGE	     MEANING(3) /* share of time, or amount */
#define USED	     MEANING(4)
#define TOTAL	     MEANING(5)
#define FREE	     MEANING(6)
#define POWER	     MEANING(7)
#define DRAW	     MEANING(8)
#define LIMIT	     MEANING(9)
#define TEMPERATURE  MEANING(10)
#define CLOCK	     MEANING(11)
#define SM	     MEANING(12)
#define CORE	     MEANING(13)
#define FAN	     MEANING(14)
#define SPEED	     MEANING(15)
#define TIME	     MEANING(16)
#define INDEX	     MEANING(17)
#define DEVICE	     MEANING(18)
#define NAME	     MEANING(19)
#define UUID	     MEANING(20)
#define PSTATE	     MEANING(21)
#define ELAPSED	     MEANING(22)
#define WHILE	     MEANING(23) /* a sum or an extreme */
#define HOST	     MEANING(24)
#define RAM	     MEANING(25) /* the host's, unless it is "gpu ram" */
#define CPU	     MEANING(26)
#define SWAP	     MEANING(27)
#define AVAILABLE    MEANING(28)
#define OTHER	     MEANING(29) /* of a disk, a process and the like: not read */
#define PLAIN	     MEANING(30) /* "readings": changes nothing */
#define METER	     MEANING(31) /* what a power meter measures besides */
#define USER	     MEANING(32) /* of what CPUs do, as what follows */
#define IDLE	     MEANING(33)
#define WAIT	     MEANING(34)
#define STEAL	     MEANING(35)
#define KERNEL	     MEANING(36)
#define RSS	     MEANING(37) /* the memory of a process */
#define LOAD	     MEANING(38) /* the load average */
#define TALLY	     MEANING(39) /* ... of what goes wrong on a GPU: */
#define PCIE	     MEANING(40)
#define REPLAYS	     MEANING(41)
#define ECC	     MEANING(42)
#define CORRECTED    MEANING(43)
#define UNCORRECTED  MEANING(44)
#define XID	     MEANING(45)

#define AMOUNT		 (USED | TOTAL | FREE | AVAILABLE)
#define WHAT_IS_MEASURED (POWER | UTILIZATION | MEMORY | TEMPERATURE)

struct name_words {
	uint64_t meaning; /* of all words */
	int32_t gpu; /* in the name, or the CPU; -1 */
	const char *unit; /* in the name; NULL */
};

/* False: a word is not known. */
bool name_words_read(struct name_words *said, struct span name);

/* What the words of a file's name say of all that is in it: "gpu_power_log.csv". */
uint64_t name_words_of_file(const char *path);

const char *word_unit(struct span word); /* NULL: it is none */

/* "gpu0_w", "GPU 1 (C)": what a GPU has in that unit; 0: many things. */
uint64_t unit_meaning(const char *unit);

bool meaning_is_of_host(uint64_t meaning);

/* The field of a query, or of the host, that a column is; NULL: none. */
const char *meaning_field(uint64_t meaning);
const char *meaning_host_field(uint64_t meaning);

#endif
