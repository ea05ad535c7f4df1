-- A run of `gatepass reconcile apple`, and what it found. It asks about people in the order of their pseudonyms, has
-- come to `place`, and is at work until `ended_at` is set. `unlisted` are purchases that Apple does not list, as JSON.
CREATE TABLE IF NOT EXISTS reconciliations (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    begun_at BIGINT NOT NULL,
    ended_at BIGINT NULL,
    since_at BIGINT NULL,
    is_of_one_user BOOLEAN NOT NULL,
    place BIGINT UNSIGNED NOT NULL DEFAULT 0,
    users BIGINT UNSIGNED NOT NULL DEFAULT 0,
    notifications BIGINT UNSIGNED NOT NULL DEFAULT 0,
    purchases BIGINT UNSIGNED NOT NULL DEFAULT 0,
    statements BIGINT UNSIGNED NOT NULL DEFAULT 0,
    refused BIGINT UNSIGNED NOT NULL DEFAULT 0,
    unlisted MEDIUMTEXT NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
