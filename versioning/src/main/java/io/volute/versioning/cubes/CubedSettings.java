package io.volute.versioning.cubes;

import io.volute.versioning.BucketSettings;
import io.volute.versioning.value.BucketAccess;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The settings of the buckets of all cubes. Thread-safe. */
record CubedSettings(CubeRegistry cubes, CubeBuckets buckets) implements BucketSettings {
    /** A change of settings. */
    @FunctionalInterface
    private interface Change {
        void of(BucketSettings settings) throws IOException;
    }

    private void change(BucketRef bucket, Change change) throws IOException {
        buckets.change(
                bucket,
                catalog -> {
                    change.of(catalog.settings());
                    return true;
                });
    }

    @Override
    public void setAccess(BucketRef bucket, UnaryOperator<BucketAccess> change) throws IOException {
        change(bucket, settings -> settings.setAccess(bucket, change));
    }

    @Override
    public void setDocuments(BucketRef bucket, Map<BucketDocument, Optional<String>> contents)
            throws IOException {
        change(bucket, settings -> settings.setDocuments(bucket, contents));
    }

    @Override
    public void setHidden(BucketRef bucket, Optional<HiddenFields> hidden) throws IOException {
        change(bucket, settings -> settings.setHidden(bucket, hidden));
    }

    @Override
    public void setResolution(BucketRef bucket, Optional<Duration> resolution) throws IOException {
        change(bucket, settings -> settings.setResolution(bucket, resolution));
    }

    @Override
    public Duration resolution(BucketInfo bucket) {
        return of(bucket).resolution(bucket);
    }

    @Override
    public boolean isExact(BucketInfo bucket, Instant instant) {
        return of(bucket).isExact(bucket, instant);
    }

    private BucketSettings of(BucketInfo bucket) {
        return buckets.routing()
                .home(bucket.name())
                .open()
                .or(() -> cubes.first().open())
                .orElseThrow()
                .catalog()
                .settings();
    }
}
