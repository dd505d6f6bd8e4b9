/* Words for edges. */
#include "model/origin.h"

const char *origin_edge_name(enum origin_edge_kind kind)
{
	switch (kind) {
	case EDGE_ROW:
		return "row";
	case EDGE_BETWEEN:
		return "between rows";
	case EDGE_NO_ROW:
		return "no row";
	case EDGE_GAP:
		return "gap";
	case EDGE_RESET:
		return "reset";
	}
	return "";
}
