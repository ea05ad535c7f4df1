-- What each user has now, for lists: the state and tier of the status, the piece of coverage that gives the tier (or,
-- without access, the piece that ended last), and both ends. Made from the ledger whenever it or time changes it, so
-- the table may be truncated: `gatepass projection rebuild` makes it anew.
CREATE TABLE IF NOT EXISTS standings (
    user_id BIGINT UNSIGNED NOT NULL,
    state VARCHAR(8) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    tier VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    tier_rank BIGINT NULL,
    source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    product_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    ends_at BIGINT NULL,
    access_ends_at BIGINT NULL,
    PRIMARY KEY (user_id),
    KEY by_end (ends_at),
    KEY by_state (state, tier, source, environment)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
