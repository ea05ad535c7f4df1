-- An environment of the App Store Server API that no instance asks before an instant, because Apple answered 429.
CREATE TABLE IF NOT EXISTS apple_pauses (
    environment VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    paused_until BIGINT NOT NULL,
    PRIMARY KEY (environment)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
