-- Schema 16: runs that moved.

-- A recording without an id is known again by the content of its files.
CREATE INDEX source_file_hash ON source_file (hash);
