package io.volute.testkit.model;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Lists page by page, as clients do, and describes every page in words. */
final class PageLister {
    private static final int PAGES_MAX = 10_000;

    private final ObjectStore store;
    private final StorePlayer player;

    PageLister(ObjectStore store, StorePlayer player) {
        this.store = store;
        this.player = player;
    }

    private static void bound(List<String> pages) {
        if (pages.size() > PAGES_MAX) {
            throw new AssertionError("a listing does not end: " + pages.subList(0, 5));
        }
    }

    String objects(StoreOperation.ListObjects op) throws IOException {
        List<String> pages = new ArrayList<>();
        Optional<String> after = Optional.of(op.after());
        while (after.isPresent()) {
            ObjectPage page =
                    store.listObjects(
                            StorePlayer.caller(),
                            StorePlayer.bucket(op.bucket()),
                            new ObjectQuery(
                                    op.prefix(), op.delimiter(), after.orElseThrow(), op.max()));
            pages.add(
                    page.objects().stream().map(player::listed).toList()
                            + ""
                            + page.prefixes()
                            + page.next());
            bound(pages);
            after = page.next();
        }
        return String.join("\n    ", pages);
    }

    String versions(StoreOperation.ListVersions op) throws IOException {
        List<String> pages = new ArrayList<>();
        Optional<VersionQuery> query =
                Optional.of(
                        new VersionQuery(
                                op.prefix(),
                                op.delimiter(),
                                op.after(),
                                Optional.empty(),
                                op.max()));
        while (query.isPresent()) {
            VersionPage page =
                    store.listVersions(
                            StorePlayer.caller(),
                            StorePlayer.bucket(op.bucket()),
                            query.orElseThrow());
            pages.add(
                    page.versions().stream().map(player::listed).toList()
                            + ""
                            + page.prefixes()
                            + page.nextKey()
                            + page.nextVersionId().map(opaque -> "marker"));
            bound(pages);
            query =
                    page.nextKey()
                            .map(
                                    key ->
                                            new VersionQuery(
                                                    op.prefix(),
                                                    op.delimiter(),
                                                    key,
                                                    page.nextVersionId().flatMap(VersionId::parse),
                                                    op.max()));
        }
        return String.join("\n    ", pages);
    }

    String parts(BucketName bucket, ObjectKey key, String uploadId, int max) throws IOException {
        List<String> pages = new ArrayList<>();
        Optional<OptionalInt> after = Optional.of(OptionalInt.empty());
        while (after.isPresent()) {
            PartPage page =
                    store.listParts(
                            StorePlayer.caller(), bucket, key, uploadId, after.orElseThrow(), max);
            pages.add(
                    words(page.upload())
                            + page.parts().stream().map(StorePlayer::words).toList()
                            + page.nextPartNumber());
            bound(pages);
            after = page.nextPartNumber().map(OptionalInt::of);
        }
        return String.join("\n    ", pages);
    }

    String uploads(StoreOperation.ListUploads op) throws IOException {
        List<String> pages = new ArrayList<>();
        Optional<UploadQuery> query =
                Optional.of(new UploadQuery(op.prefix(), op.delimiter(), "", "", op.max()));
        while (query.isPresent()) {
            UploadPage page =
                    store.listUploads(
                            StorePlayer.caller(),
                            StorePlayer.bucket(op.bucket()),
                            query.orElseThrow());
            pages.add(
                    page.uploads().stream().map(this::words).toList()
                            + ""
                            + page.prefixes()
                            + page.nextKey()
                            + page.nextUploadId().map(player::uploadOrdinal));
            bound(pages);
            query =
                    page.nextKey()
                            .map(
                                    key ->
                                            new UploadQuery(
                                                    op.prefix(),
                                                    op.delimiter(),
                                                    key,
                                                    page.nextUploadId().orElse(""),
                                                    op.max()));
        }
        return String.join("\n    ", pages);
    }

    private String words(UploadInfo upload) {
        return "upload "
                + player.uploadOrdinal(upload.uploadId())
                + " of "
                + upload.key().value()
                + " by "
                + upload.owner();
    }
}
