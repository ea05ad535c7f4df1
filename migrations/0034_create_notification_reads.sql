-- How far Apple's list of notifications was read of an app in an environment: everything up to `received_until` was
-- received. A reading goes up to `reading_until` and goes on at the page `token`; both are NULL between two readings.
CREATE TABLE IF NOT EXISTS notification_reads (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    app VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    received_until BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    reading_until BIGINT NULL,
    token TEXT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_app (app, environment)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
