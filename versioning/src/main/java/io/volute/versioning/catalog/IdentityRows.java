package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.IDENTITIES;
import static io.volute.versioning.rows.Families.IDENTITY_CHANGES;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.Identities;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.IdentityRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** {@link Identities} as rows of a cube. Thread-safe for readers; see there for writers. */
public final class IdentityRows implements Identities {
    private static final byte[] OPEN_END = {};

    private final RecordStore cube;
    private final AtomicLong lastChange = new AtomicLong();

    public IdentityRows(RecordStore cube) {
        this.cube = cube;
        boolean unused = follow();
    }

    @Override
    public boolean follow() {
        boolean isChanged = false;
        byte[] from = RowKeys.number(lastChange.get() + 1);
        try (RecordCursor cursor = cube.scan(IDENTITY_CHANGES, from, OPEN_END)) {
            while (cursor.next()) {
                lastChange.set(ByteBuffer.wrap(cursor.key()).getLong());
                isChanged = true;
            }
        }
        return isChanged;
    }

    @Override
    public void visit(IdentityVisitor visitor) throws IOException {
        try (RecordCursor cursor = cube.scan(IDENTITIES, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                byte[] detail = RecordDetails.read(cube, IDENTITIES, cursor.key(), cursor.record());
                visitor.take(IdentityRow.decode(cursor.key(), cursor.record().summary(), detail));
            }
        }
    }

    @Override
    public Optional<Identity> find(int kind, String name) throws IOException {
        byte[] key = IdentityRow.key(new Identity(kind, name, new byte[0]));
        while (true) {
            Optional<StoredRecord> record = cube.get(IDENTITIES, key);
            if (record.isEmpty()) {
                return Optional.empty();
            }
            try {
                byte[] detail = RecordDetails.read(cube, IDENTITIES, key, record.get());
                return Optional.of(IdentityRow.decode(key, record.get().summary(), detail));
            } catch (GoneException e) {
                // It was replaced or removed meanwhile: what is there now counts.
            }
        }
    }

    @Override
    public void change(List<Identity> written, List<Identity> removed, byte[] description)
            throws IOException {
        // Also on a full store: revoking a right must always be possible.
        Transaction transaction = new Transaction().makingRoom();
        for (Identity each : written) {
            transaction.put(
                    IDENTITIES,
                    IdentityRow.key(each),
                    IdentityRow.summary(),
                    each.content(),
                    List.of());
        }
        removed.forEach(each -> transaction.delete(IDENTITIES, IdentityRow.key(each)));
        long number = lastChange.get() + 1;
        transaction.put(
                IDENTITY_CHANGES,
                RowKeys.number(number),
                IdentityRow.summary(),
                description,
                List.of());
        Commits.join(cube, transaction);
        // Only now: after a failure the number can be that of a change of the next owner.
        lastChange.set(number);
    }

    @Override
    public List<IdentityChange> changes(long after, int max) throws IOException {
        List<IdentityChange> changes = new ArrayList<>();
        byte[] from = RowKeys.number(after + 1);
        try (RecordCursor cursor = cube.scan(IDENTITY_CHANGES, from, OPEN_END)) {
            while (changes.size() < max && cursor.next()) {
                byte[] key = cursor.key();
                IdentityRow.check(cursor.record().summary());
                byte[] detail = RecordDetails.read(cube, IDENTITY_CHANGES, key, cursor.record());
                changes.add(new IdentityChange(ByteBuffer.wrap(key).getLong(), detail));
            }
        }
        return changes;
    }
}
