-- Schema 2, made up for migration_test.sh. A migration may add a column and fill it, and rewrite a
-- table, for which it needs as much room again.

ALTER TABLE run ADD COLUMN made_up TEXT;
UPDATE run SET made_up = 'was ' || path;

CREATE TABLE made_up_copy AS SELECT * FROM gpu_sample;
DELETE FROM gpu_sample;
INSERT INTO gpu_sample SELECT * FROM made_up_copy;
DROP TABLE made_up_copy;
