-- Not every store writes in ASCII.
ALTER TABLE inbox_texts MODIFY COLUMN IF EXISTS jws MEDIUMTEXT NOT NULL;
