package io.volute.testkit.model;

import io.volute.testkit.model.ModelBucket.Stored;
import io.volute.testkit.model.ModelBucket.StoredPart;
import io.volute.testkit.model.ModelBucket.Upload;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Listings the plain way: make all entries in order, drop those up to the marker, cut. */
final class ModelListing {
    private ModelListing() {}

    /** An item, or a common prefix when there is no item. */
    private record Entry<T>(String name, Optional<T> item) {}

    static int compare(String one, String other) {
        return Arrays.compareUnsigned(
                one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static <T> List<Entry<T>> entries(
            Stream<Entry<T>> items, String prefix, String delimiter) {
        List<Entry<T>> entries = new ArrayList<>();
        items.filter(item -> item.name().startsWith(prefix))
                .map(item -> rolledUp(item, prefix, delimiter))
                .filter(entry -> entry.item().isPresent() || !entries.contains(entry))
                .forEach(entries::add);
        return entries;
    }

    private static <T> Entry<T> rolledUp(Entry<T> item, String prefix, String delimiter) {
        int at = delimiter.isEmpty() ? -1 : item.name().indexOf(delimiter, prefix.length());
        return at < 0
                ? item
                : new Entry<>(item.name().substring(0, at + delimiter.length()), Optional.empty());
    }

    private static <T> List<T> items(List<Entry<T>> entries) {
        return entries.stream().flatMap(entry -> entry.item().stream()).toList();
    }

    private static <T> List<String> prefixes(List<Entry<T>> entries) {
        return entries.stream().filter(e -> e.item().isEmpty()).map(Entry::name).toList();
    }

    /** The last entry of the page, when the page is not empty and entries follow it. */
    private static <T> Optional<Entry<T>> last(List<Entry<T>> left, int max) {
        return max > 0 && left.size() > max ? Optional.of(left.get(max - 1)) : Optional.empty();
    }

    static ObjectPage objects(ModelBucket bucket, ObjectQuery query) {
        Stream<Entry<ObjectVersion>> all =
                bucket.keys.values().stream()
                        .map(List::getFirst)
                        .filter(stored -> !stored.version().deleteMarker())
                        .map(bucket::visible)
                        .map(version -> new Entry<>(version.key().value(), Optional.of(version)));
        List<Entry<ObjectVersion>> left =
                entries(all, query.prefix(), query.delimiter()).stream()
                        .filter(entry -> compare(entry.name(), query.after()) > 0)
                        .toList();
        List<Entry<ObjectVersion>> page = left.stream().limit(query.max()).toList();
        return new ObjectPage(
                items(page), prefixes(page), last(left, query.max()).map(Entry::name));
    }

    static VersionPage versions(ModelBucket bucket, VersionQuery query) {
        Stream<Entry<ObjectVersion>> all =
                bucket.keys.values().stream()
                        .flatMap(List::stream)
                        .map(bucket::visible)
                        .map(version -> new Entry<>(version.key().value(), Optional.of(version)));
        List<Entry<ObjectVersion>> left =
                entries(all, query.prefix(), query.delimiter()).stream()
                        .filter(entry -> isBehindMarker(bucket, entry, query))
                        .toList();
        List<Entry<ObjectVersion>> page = left.stream().limit(query.max()).toList();
        Optional<Entry<ObjectVersion>> last = last(left, query.max());
        return new VersionPage(
                items(page),
                prefixes(page),
                last.map(Entry::name),
                last.flatMap(Entry::item).map(ObjectVersion::versionId));
    }

    private static boolean isBehindMarker(
            ModelBucket bucket, Entry<ObjectVersion> entry, VersionQuery query) {
        int order = compare(entry.name(), query.keyMarker());
        if (order != 0 || query.versionMarker().isEmpty() || entry.item().isEmpty()) {
            return order > 0;
        }
        VersionSelector marker = query.versionMarker().orElseThrow();
        return bucket.find(entry.item().orElseThrow().key(), marker)
                .map(Stored::version)
                .filter(version -> entry.item().orElseThrow().number() < version.number())
                .isPresent();
    }

    static UploadPage uploads(ModelBucket bucket, UploadQuery query) {
        List<Upload> sorted =
                bucket.uploads.values().stream()
                        .sorted(
                                Comparator.comparing((Upload upload) -> upload.info().key())
                                        .thenComparing(Upload::order))
                        .toList();
        Stream<Entry<UploadInfo>> all =
                sorted.stream()
                        .map(Upload::info)
                        .map(info -> new Entry<>(info.key().value(), Optional.of(info)));
        long markerOrder =
                Optional.ofNullable(bucket.uploads.get(query.uploadIdMarker()))
                        .map(Upload::order)
                        .orElse(Long.MAX_VALUE);
        List<Entry<UploadInfo>> left =
                entries(all, query.prefix(), query.delimiter()).stream()
                        .filter(
                                entry -> {
                                    int order = compare(entry.name(), query.keyMarker());
                                    return order > 0
                                            || order == 0
                                                    && entry.item()
                                                            .map(UploadInfo::uploadId)
                                                            .map(bucket.uploads::get)
                                                            .filter(
                                                                    upload ->
                                                                            upload.order()
                                                                                    > markerOrder)
                                                            .isPresent();
                                })
                        .toList();
        List<Entry<UploadInfo>> page = left.stream().limit(query.max()).toList();
        Optional<Entry<UploadInfo>> last = last(left, query.max());
        return new UploadPage(
                items(page),
                prefixes(page),
                last.map(Entry::name),
                last.flatMap(Entry::item).map(UploadInfo::uploadId));
    }

    static PartPage parts(Upload upload, OptionalInt afterPart, int max) {
        List<PartInfo> left =
                upload.parts().tailMap(afterPart.orElse(0), false).values().stream()
                        .map(StoredPart::info)
                        .toList();
        List<PartInfo> page = left.stream().limit(max).toList();
        boolean more = max > 0 && left.size() > max;
        return new PartPage(
                upload.info(),
                page,
                more ? Optional.of(page.getLast().number()) : Optional.empty());
    }
}
