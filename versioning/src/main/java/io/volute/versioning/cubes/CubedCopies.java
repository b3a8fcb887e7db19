package io.volute.versioning.cubes;

import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.catalog.Copies;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Copies to a key, within its cube or from another one.
 *
 * @param sourceCheck as for {@link io.volute.versioning.ObjectStore#copy}
 * @param attributes as for {@link io.volute.versioning.ObjectStore#copy}
 */
record CubedCopies(
        CubeRouting routing,
        Caller caller,
        BucketRef bucket,
        ObjectKey key,
        Consumer<ObjectVersion> sourceCheck,
        Function<ObjectVersion, ObjectAttributes> attributes,
        WriteCondition condition) {

    /** Copies, and again from the beginning when the source or the target moved meanwhile. */
    CopyResult copy(CubeRegistry cubes, Source source) throws IOException {
        CubeRouting sources = routing.anywhere();
        return sources.attempt(
                source.bucket(),
                row -> {
                    CubeSlot from =
                            source.at().isPresent() && cubes.hasSeveral()
                                    ? new CubedPast(cubes, sources, source.at().get())
                                            .slotOf(source.bucket(), source.key())
                                    : sources.slot(row, source.key());
                    return routing.attempt(
                            bucket,
                            target -> copy(sources, source, from, routing.slot(target, key)));
                });
    }

    private CopyResult copy(CubeRouting sources, Source source, CubeSlot from, CubeSlot to)
            throws IOException {
        if (from == to) {
            return to.call(
                    catalog ->
                            catalog.copy(
                                    caller,
                                    source,
                                    bucket,
                                    key,
                                    sourceCheck,
                                    attributes,
                                    condition));
        }
        try (Copies.Opened opened = sources.on(from, each -> each.copies().open(caller, source))) {
            return to.call(
                    catalog ->
                            catalog.copies()
                                    .add(
                                            caller,
                                            opened,
                                            bucket,
                                            key,
                                            sourceCheck,
                                            attributes,
                                            condition));
        }
    }
}
