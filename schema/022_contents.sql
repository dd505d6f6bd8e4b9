-- Schema 22: what packs a log is no part of it.

-- What a file holds, unpacked: its bytes, and a hash of their first and last 64 KiB. What is not
-- packed has its own size and hash here, and so has what no reader claims, and what can't be
-- unpacked whole.
ALTER TABLE source_file ADD COLUMN content_size INTEGER;
ALTER TABLE source_file ADD COLUMN content_hash INTEGER;

-- A packed log that was loaded before goes on being known by its bytes alone.
UPDATE source_file SET content_size = size, content_hash = hash;

CREATE INDEX source_file_content ON source_file (content_hash);

-- A run.json that was claimed by no reader may say how the run ended. It is loaded anew, as what
-- older definitions made.
UPDATE run SET definitions_version = 9 WHERE definitions_version = 10 AND EXISTS (
	SELECT 1 FROM source_file f WHERE f.run_id = run.run_id AND f.path IN ('run.json', 'run.json.gz', 'run.json.zst')
		AND f.source IS NULL);
