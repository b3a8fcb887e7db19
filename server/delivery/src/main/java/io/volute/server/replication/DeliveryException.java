package io.volute.server.replication;

import java.io.IOException;
import java.util.Optional;

/** A failure of a delivery that another attempt may not have, and the changes that it holds up. */
final class DeliveryException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The changes that would fail, too. */
    enum Reach {
        KEY,
        BUCKET,
        TARGET
    }

    private final Reach reach;

    DeliveryException(Reach reach, String message) {
        this(reach, message, null);
    }

    DeliveryException(Reach reach, String message, Exception cause) {
        super(message, cause);
        this.reach = reach;
    }

    /** Returns the reach of a failure; that of an unknown one is its key. */
    static Reach reach(Exception failure) {
        return find(failure).map(known -> known.reach).orElse(Reach.KEY);
    }

    /** Returns whether the reach of a failure is known. */
    static boolean isKnown(Exception failure) {
        return find(failure).isPresent();
    }

    private static Optional<DeliveryException> find(Exception failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof DeliveryException known) {
                return Optional.of(known);
            }
        }
        return Optional.empty();
    }
}
