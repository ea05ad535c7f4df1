-- An authentic delivery of a store, once for each content that came under its id, and what became of it.
-- `purchase` is the store's id of the purchase that it is about, known before the purchase has a row. `takeback` is
-- what an unsettled delivery takes back, in numbers and without names: it can be placed when its text is gone.
-- Each list is read from an index in the order of receipt, so that a page reads about as many rows as it has. With the
-- store's id first, the index of contents is the one that operators search by too. `touched` is as in `users`.
CREATE TABLE IF NOT EXISTS inbox_deliveries (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    external_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    content_hash BINARY(32) NOT NULL,
    type VARCHAR(64) NOT NULL,
    subtype VARCHAR(64) NULL,
    signed_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    settled_at BIGINT NULL,
    purchase VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    takeback VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    touched BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (id),
    UNIQUE KEY by_content (external_id, source, environment, content_hash),
    KEY by_purchase (purchase, source, app, environment),
    KEY by_time (received_at),
    KEY by_source_and_time (source, received_at),
    KEY by_state (state, received_at),
    KEY by_reason (reason, received_at),
    KEY by_source (source, environment, received_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
