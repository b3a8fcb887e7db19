package io.volute.versioning.bucket;

import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.BUCKET_HISTORY;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Family;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.heap.WeighedCache;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.rows.BucketRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads the texts of buckets from their rows, through a weighed cache. A row never changes under
 * its sequence: a change moves it to {@code bucket_history}. Thread-safe.
 */
final class BucketTexts {
    /** Heap bytes of the texts that are kept. The longest texts of a bucket fit twice. */
    static final long BYTES_MAX = 16L << 20;

    private final RecordStore cube;
    private final WeighedCache<Place, String> texts =
            new WeighedCache<>(BYTES_MAX, (place, text) -> WeighedCache.heapBytes(text));

    BucketTexts(RecordStore cube) {
        this.cube = cube;
    }

    /**
     * A row of a bucket.
     *
     * @param sequence of the commit that made the row, also of a row that was replaced
     */
    private record Row(BucketName name, long sequence) {}

    /** A text in the detail of a row. */
    private record Place(Row row, int begin, int bytes) {}

    /** Returns the texts of a row. They are not read before they are needed. */
    BucketRow.Detail of(BucketName name, long sequence, int detailBytes) {
        Row row = new Row(name, sequence);
        return new BucketRow.Detail() {
            @Override
            public int bytes() {
                return detailBytes;
            }

            @Override
            public BucketInfo.Text text(int begin, int bytes) {
                Place place = new Place(row, begin, bytes);
                return BucketInfo.Text.stored(
                        bytes, () -> texts.get(place, BucketTexts.this::read));
            }
        };
    }

    private String read(Place place) {
        try {
            return new String(
                    detail(place.row()), place.begin(), place.bytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] detail(Row row) throws IOException {
        byte[] key = RowKeys.bucket(row.name());
        Optional<StoredRecord> present =
                cube.get(BUCKETS, key).filter(record -> record.sequence() == row.sequence());
        if (present.isPresent()) {
            try {
                return RecordDetails.read(cube, BUCKETS, key, present.get());
            } catch (GoneException e) {
                // It was replaced meanwhile, so it is in the history.
                return past(row);
            }
        }
        return past(row);
    }

    private byte[] past(Row row) throws IOException {
        Family family = BUCKET_HISTORY;
        byte[] key = RowKeys.bucketHistory(row.name(), row.sequence());
        StoredRecord record =
                cube.get(family, key)
                        .orElseThrow(
                                () ->
                                        new CubeUnavailableException(
                                                CubeUnavailableException.Reason.BUSY,
                                                "bucket "
                                                        + row.name().value()
                                                        + " has left this cube: try again"));
        return RecordDetails.read(cube, family, key, record);
    }

    /** Returns the approximate heap bytes of the texts that are kept. */
    long heapBytes() {
        return texts.heapBytes();
    }
}
