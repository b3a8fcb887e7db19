package io.volute.server.admin;

import java.time.Duration;
import java.util.Optional;

/** A scrubber with a status that the test sets. */
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
