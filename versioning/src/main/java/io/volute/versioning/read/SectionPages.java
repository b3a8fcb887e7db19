package io.volute.versioning.read;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Listings of a bucket that is divided over cubes: a page takes the entries of the parts in key
 * order. The next part begins behind the last entry, so a common prefix of keys in several parts is
 * listed once.
 *
 * @param sections the parts, in the order of their keys
 */
public record SectionPages(Caller caller, BucketRef bucket, List<Section> sections) {
    /**
     * A part of a bucket.
     *
     * @param range its keys; entries of others are leftovers of a move and left out
     */
    public record Section(KeyRange range, Source source) {}

    /** Supplies the reader of a part. Called only when the part may have keys of the listing. */
    @FunctionalInterface
    public interface Source {
        ObjectReader reader() throws IOException;
    }

    /** A listing. */
    @FunctionalInterface
    public interface Listing<T> {
        T of(SectionPages pages) throws IOException;
    }

    /** The place behind which a listing continues; the id is that of a version or an upload. */
    private record Marker(String key, Optional<String> id) {}

    /** A page of entries of one kind. */
    private record Slice<E>(List<E> entries, List<String> prefixes, Optional<Marker> next) {
        int size() {
            return entries.size() + prefixes.size();
        }
    }

    /**
     * Lists a kind of entries.
     *
     * @param key returns the key of an entry
     * @param id returns the id of an entry in a marker
     */
    private record Kind<E>(
            String prefix,
            Read<E> read,
            Function<E, ObjectKey> key,
            Function<E, Optional<String>> id) {}

    @FunctionalInterface
    private interface Read<E> {
        Slice<E> page(ObjectReader reader, Marker behind, boolean isFirst, int max)
                throws IOException;
    }

    private <E> Slice<E> page(Kind<E> kind, Marker from, int max) throws IOException {
        PageCollector.require(max);
        if (max == 0) {
            return kind.read().page(sections.getFirst().source().reader(), from, true, 0);
        }
        List<E> entries = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        Marker last = from;
        for (Section section : sections) {
            boolean isBehind = section.range().isBeforeEnd(last.key());
            if (isBehind && section.range().meets(kind.prefix())) {
                int room = max - entries.size() - prefixes.size();
                boolean isFirst = entries.isEmpty() && prefixes.isEmpty();
                Slice<E> slice =
                        within(
                                section.range(),
                                kind,
                                kind.read()
                                        .page(
                                                section.source().reader(),
                                                last,
                                                isFirst,
                                                Math.max(room, 1)));
                if (room == 0 && slice.size() > 0) {
                    return new Slice<>(entries, prefixes, Optional.of(last));
                }
                entries.addAll(slice.entries());
                prefixes.addAll(slice.prefixes());
                if (slice.next().isPresent()) {
                    return new Slice<>(entries, prefixes, slice.next());
                }
                last = slice.size() == 0 ? last : last(kind, slice);
            }
        }
        return new Slice<>(entries, prefixes, Optional.empty());
    }

    private static <E> Slice<E> within(KeyRange range, Kind<E> kind, Slice<E> slice) {
        List<E> own =
                slice.entries().stream()
                        .filter(entry -> range.contains(kind.key().apply(entry)))
                        .toList();
        List<String> prefixes = slice.prefixes().stream().filter(range::isBeforeEnd).toList();
        boolean isWhole = slice.next().filter(next -> !range.isBeforeEnd(next.key())).isEmpty();
        return new Slice<>(own, prefixes, isWhole ? slice.next() : Optional.empty());
    }

    private static <E> Marker last(Kind<E> kind, Slice<E> slice) {
        Optional<String> prefix =
                slice.prefixes().isEmpty()
                        ? Optional.empty()
                        : Optional.of(slice.prefixes().getLast());
        if (slice.entries().isEmpty()) {
            return new Marker(prefix.orElseThrow(), Optional.empty());
        }
        E entry = slice.entries().getLast();
        ObjectKey key = kind.key().apply(entry);
        boolean isPrefix =
                prefix.filter(each -> Arrays.compareUnsigned(utf8(each), key.utf8()) > 0)
                        .isPresent();
        return isPrefix
                ? new Marker(prefix.get(), Optional.empty())
                : new Marker(key.value(), kind.id().apply(entry));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public ObjectPage objects(ObjectQuery query) throws IOException {
        Kind<ObjectVersion> kind =
                new Kind<>(
                        query.prefix(),
                        (reader, behind, isFirst, max) -> {
                            ObjectPage page =
                                    reader.listObjects(
                                            caller,
                                            bucket,
                                            new ObjectQuery(
                                                    query.prefix(),
                                                    query.delimiter(),
                                                    behind.key(),
                                                    max));
                            return new Slice<>(
                                    page.objects(),
                                    page.prefixes(),
                                    page.next().map(key -> new Marker(key, Optional.empty())));
                        },
                        ObjectVersion::key,
                        version -> Optional.empty());
        Slice<ObjectVersion> slice =
                page(kind, new Marker(query.after(), Optional.empty()), query.max());
        return new ObjectPage(slice.entries(), slice.prefixes(), slice.next().map(Marker::key));
    }

    public VersionPage versions(VersionQuery query) throws IOException {
        Kind<ObjectVersion> kind =
                new Kind<>(
                        query.prefix(),
                        (reader, behind, isFirst, max) -> {
                            VersionPage page =
                                    reader.listVersions(
                                            caller,
                                            bucket,
                                            new VersionQuery(
                                                    query.prefix(),
                                                    query.delimiter(),
                                                    behind.key(),
                                                    isFirst
                                                            ? query.versionMarker()
                                                            : Optional.empty(),
                                                    max));
                            return new Slice<>(
                                    page.versions(),
                                    page.prefixes(),
                                    page.nextKey()
                                            .map(key -> new Marker(key, page.nextVersionId())));
                        },
                        ObjectVersion::key,
                        version -> Optional.of(VersionId.format(version.number(), false)));
        Slice<ObjectVersion> slice =
                page(kind, new Marker(query.keyMarker(), Optional.empty()), query.max());
        return new VersionPage(
                slice.entries(),
                slice.prefixes(),
                slice.next().map(Marker::key),
                slice.next().flatMap(Marker::id));
    }

    public UploadPage uploads(UploadQuery query) throws IOException {
        Kind<UploadInfo> kind =
                new Kind<>(
                        query.prefix(),
                        (reader, behind, isFirst, max) -> {
                            UploadPage page =
                                    reader.listUploads(
                                            caller,
                                            bucket,
                                            new UploadQuery(
                                                    query.prefix(),
                                                    query.delimiter(),
                                                    behind.key(),
                                                    isFirst ? query.uploadIdMarker() : "",
                                                    max));
                            return new Slice<>(
                                    page.uploads(),
                                    page.prefixes(),
                                    page.nextKey()
                                            .map(key -> new Marker(key, page.nextUploadId())));
                        },
                        UploadInfo::key,
                        upload -> Optional.of(upload.uploadId()));
        Slice<UploadInfo> slice =
                page(kind, new Marker(query.keyMarker(), Optional.empty()), query.max());
        return new UploadPage(
                slice.entries(),
                slice.prefixes(),
                slice.next().map(Marker::key),
                slice.next().flatMap(Marker::id));
    }
}
