-- Schema 17: the views stand in the database as they stand in views*.sql, and are compared there.

DROP TABLE schema_text;
