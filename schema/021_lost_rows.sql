-- Schema 21: where rows were refused.

-- Rows of a file that could not be read, and the rows that they stand between: whoever finds
-- nothing there can't say that nothing was written.
CREATE TABLE source_file_lost (
	run_id INTEGER NOT NULL,
	file INTEGER NOT NULL,               -- source_file.number
	number INTEGER NOT NULL,             -- within the file, from 0
	line INTEGER NOT NULL,               -- of the first; last_line: of the last
	last_line INTEGER NOT NULL,
	after_ns INTEGER,                    -- the row before them; NULL: there is none
	before_ns INTEGER,                   -- the row behind them; NULL: there is none
	row_count INTEGER NOT NULL,          -- 4294967295 and more: nobody knows
	PRIMARY KEY (run_id, file, number)
) WITHOUT ROWID;

-- Of a run that was loaded before, it is not known where. It is loaded anew, as what older
-- definitions made; so is one of whose rows one may be of a time that can't be.
UPDATE run SET definitions_version = 7 WHERE definitions_version = 8 AND (
	EXISTS (SELECT 1 FROM source_file f WHERE f.run_id = run.run_id AND f.refused > 0)
	OR EXISTS (SELECT 1 FROM diagnostic d WHERE d.run_id = run.run_id
		AND (d.id IN ('read-error', 'nul') OR d.id LIKE 'step-back:%')));
