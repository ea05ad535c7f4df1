-- Where it is not NULL, `jws` begins after the header's last character.
ALTER TABLE signed_texts ADD COLUMN IF NOT EXISTS header_id BIGINT UNSIGNED NULL;
