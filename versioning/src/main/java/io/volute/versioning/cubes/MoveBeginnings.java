package io.volute.versioning.cubes;

import io.volute.versioning.Restore;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreException;
import io.volute.versioning.cubes.PlacementRow.Section;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins moves of buckets and of ranges of their keys: refuses wrong ones and commits the row of
 * others. The caller holds the lock of changes of buckets.
 */
record MoveBeginnings(
        CubeRegistry cubes, CubeBuckets buckets, Placements placements, InstantSource clock) {
    private static final Logger LOG = LoggerFactory.getLogger(MoveBeginnings.class);

    private CubeSlot home(BucketName bucket) {
        return buckets.routing()
                .slotOf(bucket)
                .orElseThrow(() -> StoreException.noSuchBucket(bucket));
    }

    MoveRow whole(BucketName bucket, CubeSlot target) throws IOException {
        CubeSlot source = home(bucket);
        if (placements.of(bucket).isDivided()) {
            throw CubeRegistry.refused(
                    "bucket "
                            + bucket.value()
                            + " is divided over cubes: merge its parts before it moves");
        }
        if (source == target) {
            throw CubeRegistry.refused(
                    "bucket " + bucket.value() + " is in cube " + target.name() + " already");
        }
        return begin(bucket, source, target, KeyRange.ALL);
    }

    /** Begins to move the keys from one on, up to the end of their range, to another cube. */
    MoveRow split(BucketName bucket, ObjectKey at, CubeSlot target) throws IOException {
        CubeSlot home = home(bucket);
        PlacementRow row = placements.of(bucket);
        Section section = row.section(at);
        if (section.range().first().equals(Optional.of(at))) {
            throw CubeRegistry.refused(
                    "a part of bucket " + bucket.value() + " begins at key " + at.value());
        }
        if (target == cubes.system()) {
            throw CubeRegistry.refused(
                    "the system cube has no part of a bucket: name another cube");
        }
        if (target == home || row.rangeIn(target.number()).isPresent()) {
            throw CubeRegistry.refused(
                    "cube "
                            + target.name()
                            + " has keys of bucket "
                            + bucket.value()
                            + " already, and a cube has one range: name another cube");
        }
        return begin(
                bucket,
                buckets.routing().slot(section.cube()),
                target,
                new KeyRange(Optional.of(at), section.range().end()));
    }

    /** Begins to move a part to the cube of the keys before it. */
    MoveRow merge(BucketName bucket, ObjectKey at) throws IOException {
        CubeSlot unused = home(bucket);
        List<Section> sections = placements.of(bucket).sections();
        for (int i = 1; i < sections.size(); i++) {
            Section section = sections.get(i);
            if (section.range().first().equals(Optional.of(at))) {
                return begin(
                        bucket,
                        buckets.routing().slot(section.cube()),
                        buckets.routing().slot(sections.get(i - 1).cube()),
                        section.range());
            }
        }
        List<String> known =
                sections.stream()
                        .flatMap(section -> section.range().first().stream())
                        .map(ObjectKey::value)
                        .toList();
        throw CubeRegistry.refused(
                "no part of bucket "
                        + bucket.value()
                        + " begins at key "
                        + at.value()
                        + "; parts begin at "
                        + known);
    }

    private MoveRow begin(BucketName bucket, CubeSlot source, CubeSlot target, KeyRange range)
            throws IOException {
        source.requireHere();
        target.requireHere();
        buckets.requireOpenForNew(target);
        MoveSide to = BucketMoves.side(target);
        BucketEntry entry = BucketMoves.side(source).buckets().require(bucket);
        requireNoRestore(bucket);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        MoveRow row =
                new MoveRow(
                        MovePhase.COPYING,
                        entry.id(),
                        source.number(),
                        target.number(),
                        now,
                        entry.owner(),
                        range);
        placements.putMove(bucket, row);
        LOG.info(
                "bucket {}, keys from \"{}\" to \"{}\", moves from cube {} to cube {}, which is {}",
                bucket.value(),
                range.first().map(ObjectKey::value).orElse(""),
                range.end().map(ObjectKey::value).orElse(""),
                source.name(),
                target.name(),
                to.cube().state());
        return row;
    }

    /** Refuses while a restore runs: its keys would not be those of its cube any more. */
    private void requireNoRestore(BucketName bucket) throws IOException {
        for (CubeSlot slot : buckets.routing().slots(placements.of(bucket))) {
            Optional<Restore.Run> running =
                    slot.call(catalog -> catalog.restore().runs()).stream()
                            .filter(run -> run.phase() == Restore.Phase.RUNNING)
                            .filter(run -> run.request().bucket().equals(bucket))
                            .findFirst();
            if (running.isPresent()) {
                throw CubeRegistry.refused(
                        "restore "
                                + running.get().id()
                                + " of bucket "
                                + bucket.value()
                                + " is running: wait for its end, or cancel it");
            }
        }
    }
}
