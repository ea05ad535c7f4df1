-- A server that runs or ran in the last hour, under a number that it drew at its start, and the database server that it
-- wrote to when it was last seen.
CREATE TABLE IF NOT EXISTS instances (
    id BIGINT UNSIGNED NOT NULL,
    node VARCHAR(255) NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    KEY by_time (seen_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
