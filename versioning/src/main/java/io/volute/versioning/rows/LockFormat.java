package io.volute.versioning.rows;

import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import java.time.Instant;
import java.util.Optional;

/**
 * The format of the lock of a version.
 *
 * <pre>
 *   octet   1 governance, 2 compliance; 4 legal hold off, 8 on
 *   varint  end of the retention, milliseconds since 1970   (1 or 2)
 * </pre>
 */
final class LockFormat {
    private static final int MODE = 3;
    private static final int HOLD_SHIFT = 2;

    private LockFormat() {}

    public static void write(RowOutput output, ObjectLock lock) {
        int mode = lock.retention().map(each -> 1 << each.mode().ordinal()).orElse(0);
        int hold = lock.legalHold().map(each -> 1 << each.ordinal()).orElse(0);
        output.octet(mode | hold << HOLD_SHIFT);
        lock.retention().ifPresent(each -> output.varint(each.until().toEpochMilli()));
    }

    public static ObjectLock read(RowInput input) {
        int flags = input.octet();
        Optional<Mode> mode = constant(Mode.values(), flags & MODE);
        Optional<LegalHold> hold = constant(LegalHold.values(), flags >> HOLD_SHIFT);
        return new ObjectLock(
                mode.map(each -> new Retention(each, Instant.ofEpochMilli(input.varint()))), hold);
    }

    private static <E> Optional<E> constant(E[] values, int flag) {
        return switch (flag) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(values[0]);
            case 2 -> Optional.of(values[1]);
            default -> throw new RowFormatException("lock " + flag);
        };
    }
}
