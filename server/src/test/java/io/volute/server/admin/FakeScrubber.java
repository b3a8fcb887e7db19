package io.volute.server.admin;

import java.time.Duration;
import java.util.Optional;

/** Says what the test makes up. */
final class FakeScrubber implements Scrubber {
    Status status = new Status(Duration.ofDays(14), Optional.empty(), Optional.empty(), "");
    boolean begins = true;

    @Override
    public Status status() {
        return status;
    }

    @Override
    public boolean begin() {
        return begins;
    }
}
