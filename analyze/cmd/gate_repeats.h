/* What repeats of one program say of the rules of a gate; part of the command gate. */
#ifndef CMD_GATE_REPEATS_H
#define CMD_GATE_REPEATS_H

#include "cmd/command.h"
#include "cmd/sides.h"
#include "model/gate.h"

/* --calibrate: what is noise, and which rules are tighter. */
enum exit_status gate_calibrate(
	const struct sides *sides, const struct gate_rules *rules);

/* --selftest: would each rule catch what it is there for? */
enum exit_status gate_selftest(const struct sides *sides, const struct gate_rules *rules);

#endif
