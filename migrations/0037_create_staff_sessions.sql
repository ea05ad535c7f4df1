-- A sign-in to the dashboard that lasts: the SHA-256 of the token in the browser's cookie, which nobody keeps.
CREATE TABLE IF NOT EXISTS staff_sessions (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    staff_id BIGINT UNSIGNED NOT NULL,
    token_hash BINARY(32) NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_token (token_hash),
    KEY by_staff (staff_id, id),
    KEY by_end (ends_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
