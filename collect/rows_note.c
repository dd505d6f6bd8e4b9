/* Each news has its state. */
#include "rows_note.h"

#include "recorder_note.h"

#include <stdio.h>

#define MESSAGE_SIZE 201

void rows_note(
	struct smi_rows *rows, int dir_fd, const char *log, const char *line, size_t size)
{
	static const char *const states[] = {
		[SMI_HEADER_CHANGED] = "header changed",
		[SMI_ORDER_CHANGED] = "order changed",
		[SMI_NO_ROW] = "no row",
		[SMI_GPU_LOST] = "GPU lost",
		[SMI_GPU_BACK] = "GPU back",
	};
	char message[MESSAGE_SIZE];
	enum smi_news news;

	smi_rows_take(rows, line, size);
	while ((news = smi_rows_news(rows)) != SMI_NOTHING_NEW) {
		if (news == SMI_NO_ROW) {
			(void)snprintf(message, sizeof message, "%.*s", (int)size, line);
			recorder_note_text(dir_fd, log, states[news], "message", message);
		} else if (news == SMI_GPU_LOST || news == SMI_GPU_BACK) {
			recorder_note_number(dir_fd, log, states[news], "gpu", rows->gpu);
		} else {
			recorder_note(dir_fd, log, states[news]);
		}
	}
}
