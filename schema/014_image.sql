-- Schema 14: a report as it was worked out, for the next time that nothing has changed.

-- Only for the build of the program that wrote it: `made_by`. `stamp` says which files, of
-- what size, age and inode, and which options; `stamp_hash` finds it. No view shows it, and
-- nothing is lost with it.
CREATE TABLE run_image (
	run_id INTEGER PRIMARY KEY REFERENCES run,
	stamp_hash INTEGER NOT NULL,
	stamp TEXT NOT NULL,
	made_by TEXT NOT NULL,
	image BLOB NOT NULL
);
CREATE INDEX run_image_by_stamp ON run_image (stamp_hash);
