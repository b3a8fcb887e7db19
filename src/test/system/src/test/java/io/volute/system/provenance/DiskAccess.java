package io.volute.system.provenance;

import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Random;

/**
 * What an administrator can do who has the disk of a stopped server and knows its formats, but has
 * no signing keys: rows are changed with good checksums, so that the store itself is sound.
 */
final class DiskAccess implements AutoCloseable {
    private final StoreDirectory directory;
    private final Cube cube;
    private final long bucketId;

    /** Opens the directory of a store with one bucket. */
    DiskAccess(Path data) throws IOException {
        FileSystem files = new OsFileSystem();
        directory = StoreDirectory.open(data, files, Clock.systemUTC());
        cube =
                Cubes.open(
                                new CubeOptions(
                                        directory.cube("default"),
                                        files,
                                        Clock.systemUTC(),
                                        new Random(1),
                                        ObjectStores.families(),
                                        LogSettings.defaults()))
                        .cube();
        // Behind the store's own chain.
        byte[] first = RowKeys.bucketStart(1);
        try (RecordCursor names = cube.scan(Families.CHAIN_BUCKETS, first, new byte[0])) {
            if (!names.next()) {
                throw new IOException("no bucket has chains");
            }
            bucketId = RowKeys.bucketId(names.key());
        }
    }

    private byte[] current(String key) {
        return RowKeys.current(bucketId, new ObjectKey(key));
    }

    private byte[] entry(String key, long sequence) {
        return RowKeys.entry(bucketId, new ObjectKey(key), sequence);
    }

    private StoredRecord record(Family family, byte[] key) {
        return cube.get(family, key).orElseThrow();
    }

    private void commit(Transaction transaction) {
        long sequence = cube.commit(transaction).join();
        assert sequence > 0;
    }

    /** Puts one word in place of another of the same length in an entry. */
    void editEntry(String key, long sequence, String word, String other) throws IOException {
        byte[] row = entry(key, sequence);
        StoredRecord record = record(Families.ENTRIES, row);
        byte[] detail = cube.readDetail(Families.ENTRIES, row, record);
        String text = new String(detail, StandardCharsets.ISO_8859_1);
        byte[] edited = text.replace(word, other).getBytes(StandardCharsets.ISO_8859_1);
        commit(
                new Transaction()
                        .put(Families.ENTRIES, row, record.summary(), edited, record.references()));
    }

    void removeEntry(String key, long sequence) {
        commit(new Transaction().delete(Families.ENTRIES, entry(key, sequence)));
    }

    /** Gives an object the content of another one. */
    void exchangeContent(String key, String other) {
        byte[] row = current(key);
        StoredRecord record = record(Families.CURRENT, row);
        commit(
                new Transaction()
                        .put(
                                Families.CURRENT,
                                row,
                                record.summary(),
                                new byte[0],
                                record(Families.CURRENT, current(other)).references()));
    }

    /** Takes a key away, with the whole chain of that many entries. */
    void hide(String key, int entries) {
        Transaction all = new Transaction().delete(Families.CURRENT, current(key));
        for (int sequence = 0; sequence < entries; sequence++) {
            all.delete(Families.ENTRIES, entry(key, sequence));
        }
        commit(all);
    }

    @Override
    public void close() throws IOException {
        cube.close();
        directory.close();
    }
}
