package io.volute.versioning.cubes;

import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowInput;
import io.volute.versioning.rows.RowOutput;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A row of {@code placements} in the system cube: the cubes of a bucket. The key is the name of the
 * bucket. Buckets that are in the system cube alone have none.
 *
 * <pre>
 *   octet   layout: 1 without parts, 2 with
 *   varint  number of the home cube, which has the keys before the first part
 *   varint  created, milliseconds since 1970
 *   text    owner
 *   layout 2:
 *   varint  number of parts, at least 1
 *   each part, ascending:
 *     text    first key of the part
 *     varint  number of its cube
 * </pre>
 *
 * @param parts the keys that are not in the home cube; each cube has at most one range of a bucket
 */
record PlacementRow(int cube, Instant created, String owner, List<Part> parts) {
    /** The placement of buckets without a row. */
    public static final PlacementRow SYSTEM = new PlacementRow(0, Instant.EPOCH, "");

    private static final int LAYOUT = 1;
    private static final int LAYOUT_WITH_PARTS = 2;

    /** The keys from one on, up to the next part. */
    public record Part(ObjectKey first, int cube) {}

    /** A range of keys and its cube. */
    public record Section(KeyRange range, int cube) {}

    public PlacementRow {
        parts = List.copyOf(parts);
    }

    public PlacementRow(int cube, Instant created, String owner) {
        this(cube, created, owner, List.of());
    }

    public byte[] encode() {
        RowOutput output =
                new RowOutput()
                        .octet(parts.isEmpty() ? LAYOUT : LAYOUT_WITH_PARTS)
                        .varint(cube)
                        .varint(created.toEpochMilli())
                        .text(owner);
        if (!parts.isEmpty()) {
            output.varint(parts.size());
            parts.forEach(part -> output.text(part.first().value()).varint(part.cube()));
        }
        return output.toBytes();
    }

    public static PlacementRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.octet();
        if (layout != LAYOUT && layout != LAYOUT_WITH_PARTS) {
            throw new RowFormatException("placement of layout " + layout);
        }
        int cube = input.size();
        Instant created = Instant.ofEpochMilli(input.varint());
        String owner = input.text();
        List<Part> parts = new ArrayList<>();
        int count = layout == LAYOUT ? 0 : input.size();
        for (int i = 0; i < count; i++) {
            parts.add(new Part(new ObjectKey(input.text()), input.size()));
        }
        return new PlacementRow(cube, created, owner, parts);
    }

    /** Returns the bucket as listings show it while its cube is not open. */
    public BucketInfo info(BucketName name) {
        return new BucketInfo(
                0, name, owner, created, VersioningState.UNVERSIONED, HistoryPolicy.NONE);
    }

    public boolean isDivided() {
        return !parts.isEmpty();
    }

    /** Returns all ranges of keys in their order. */
    public List<Section> sections() {
        List<Section> all = new ArrayList<>();
        for (int i = 0; i <= parts.size(); i++) {
            KeyRange range =
                    new KeyRange(
                            i == 0 ? Optional.empty() : Optional.of(parts.get(i - 1).first()),
                            parts.stream().skip(i).findFirst().map(Part::first));
            all.add(new Section(range, i == 0 ? cube : parts.get(i - 1).cube()));
        }
        return all;
    }

    /** Returns the range of keys that has a key. */
    public Section section(ObjectKey key) {
        return isDivided()
                ? sections().stream().filter(each -> each.range().contains(key)).findFirst().get()
                : new Section(KeyRange.ALL, cube);
    }

    /** Returns the keys that a cube has of the bucket. */
    public Optional<KeyRange> rangeIn(int number) {
        return sections().stream()
                .filter(each -> each.cube() == number)
                .map(Section::range)
                .findFirst();
    }

    /** Returns the part that begins with a key. */
    public Optional<Part> partAt(ObjectKey first) {
        return parts.stream().filter(part -> part.first().equals(first)).findFirst();
    }

    /** Returns this placement without the part that begins with a key, or with a new one there. */
    public PlacementRow moved(ObjectKey first, int target) {
        Stream<Part> others = parts.stream().filter(part -> !part.first().equals(first));
        Stream<Part> added =
                partAt(first).isPresent() ? Stream.of() : Stream.of(new Part(first, target));
        return new PlacementRow(
                cube,
                created,
                owner,
                Stream.concat(others, added)
                        .sorted((one, other) -> one.first().compareTo(other.first()))
                        .toList());
    }
}
