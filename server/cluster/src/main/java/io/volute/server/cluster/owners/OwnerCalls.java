package io.volute.server.cluster.owners;

import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.cluster.hop.NodeCalls;
import io.volute.server.cluster.hop.NodeCalls.UnseenException;
import io.volute.server.cluster.owners.BucketMessages.Bucket;
import io.volute.server.cluster.owners.BucketMessages.Creation;
import io.volute.server.cluster.owners.BucketMessages.Deletion;
import io.volute.server.cluster.owners.BucketMessages.Listing;
import io.volute.server.cluster.owners.BucketMessages.Page;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Creates, deletes and lists buckets in cubes of other nodes, by calls of these nodes. The buckets
 * that it returns have defaults in place of their access settings, hidden fields, lock, resolution
 * and documents. Thread-safe.
 */
public final class OwnerCalls implements StoreCubes.Elsewhere {
    static final String CREATE = "create-bucket";
    static final String DELETE = "delete-bucket";
    static final String LIST = "list-buckets";

    /** Buckets of one page: the longest names of accounts leave them far below the limit. */
    static final int PAGE_BUCKETS = 1000;

    private final NodeCalls calls;
    private final Function<String, Optional<Owner>> owners;
    private final Duration limit;
    private final Map<String, LongAdder> unknown = new ConcurrentHashMap<>();

    /**
     * @param owners returns the other node that serves a cube now; does not wait for it
     * @param limit time for one call
     */
    public OwnerCalls(NodeCalls calls, Function<String, Optional<Owner>> owners, Duration limit) {
        this.calls = calls;
        this.owners = owners;
        this.limit = limit;
    }

    @Override
    public BucketInfo createBucket(
            String cube,
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents)
            throws IOException {
        Creation wanted = Creation.of(cube, caller, name, locking, documents);
        byte[] created = change(cube, CREATE, wanted);
        return valid(() -> BucketMessages.decode(created, Bucket.class).info());
    }

    @Override
    public void deleteBucket(String cube, Caller caller, BucketRef bucket) throws IOException {
        byte[] unused = change(cube, DELETE, Deletion.of(cube, caller, bucket));
    }

    /** {@inheritDoc} They come in several calls, by name: the caller lets none be changed. */
    @Override
    public List<BucketInfo> buckets(String cube) throws IOException {
        List<BucketInfo> all = new ArrayList<>();
        String after = "";
        boolean isMore = true;
        while (isMore) {
            byte[] answer = call(cube, LIST, new Listing(cube, after));
            Page page = BucketMessages.decode(answer, Page.class);
            all.addAll(valid(() -> page.buckets().stream().map(Bucket::info).toList()));
            isMore = page.more() && !page.buckets().isEmpty();
            after = isMore ? page.buckets().getLast().name() : after;
        }
        return all;
    }

    /**
     * Returns the number of creations and deletions in a cube until now after which it was not
     * known whether they were done. One that was given up can be done later.
     */
    public long unknownOutcomes(String cube) {
        return Optional.ofNullable(unknown.get(cube)).map(LongAdder::sum).orElse(0L);
    }

    private byte[] change(String cube, String operation, Record message) throws IOException {
        try {
            return call(cube, operation, message);
        } catch (CubeUnavailableException e) {
            if (e.reason() == Reason.READ_ONLY || e.reason() == Reason.CLOSED) {
                countUnknown(cube);
            }
            throw e;
        } catch (IOException e) {
            countUnknown(cube);
            throw e;
        }
    }

    /** Counts a creation or deletion of which it is not known whether it was done. */
    public void countUnknown(String cube) {
        unknown.computeIfAbsent(cube, name -> new LongAdder()).increment();
    }

    private byte[] call(String cube, String operation, Record message) throws IOException {
        Optional<Owner> owner = owners.apply(cube);
        if (owner.isEmpty()) {
            throw unavailable(cube, "no other node serves it now").in(cube);
        }
        try {
            return calls.call(owner.get(), operation, BucketMessages.encode(message), limit);
        } catch (UnseenException e) {
            // Nothing was changed, and the cube may have another owner in a moment.
            CubeUnavailableException refused = unavailable(cube, e.getMessage());
            refused.initCause(e);
            throw refused.in(cube);
        }
    }

    private static CubeUnavailableException unavailable(String cube, String why) {
        return new CubeUnavailableException(
                Reason.NOT_OPEN, "cube " + cube + " is not available: " + why);
    }

    /**
     * Returns the operations by which this node handles such calls of other nodes.
     *
     * @param cubes returns those of the server that this node runs; empty while there is none
     */
    public static Map<String, Operation> operations(Supplier<Optional<StoreCubes>> cubes) {
        return Map.of(
                CREATE,
                content -> create(cubes, BucketMessages.decode(content, Creation.class)),
                DELETE,
                content -> delete(cubes, BucketMessages.decode(content, Deletion.class)),
                LIST,
                content -> list(cubes, BucketMessages.decode(content, Listing.class)));
    }

    private static byte[] create(Supplier<Optional<StoreCubes>> cubes, Creation wanted)
            throws IOException {
        Caller caller = valid(wanted.caller()::caller);
        BucketName name = valid(() -> new BucketName(wanted.name()));
        Map<BucketDocument, String> documents = valid(wanted::byDocument);
        BucketInfo created =
                here(cubes, wanted.cube())
                        .createHere(wanted.cube(), caller, name, wanted.locking(), documents);
        return BucketMessages.encode(Bucket.of(created));
    }

    private static byte[] delete(Supplier<Optional<StoreCubes>> cubes, Deletion wanted)
            throws IOException {
        Caller caller = valid(wanted.caller()::caller);
        BucketName name = valid(() -> new BucketName(wanted.name()));
        StoreCubes here = here(cubes, wanted.cube());
        here.deleteHere(wanted.cube(), caller, meant(here, wanted, name));
        return new byte[0];
    }

    /** Returns the bucket that a deletion means. */
    private static BucketRef meant(StoreCubes here, Deletion wanted, BucketName name)
            throws IOException {
        return wanted.id().isEmpty()
                ? name
                : here.bucketsHere(wanted.cube()).stream()
                        .filter(each -> each.name().equals(name))
                        .filter(each -> each.means(wanted.id().get()))
                        .findFirst()
                        .orElseThrow(() -> StoreException.noSuchBucket(name));
    }

    private static byte[] list(Supplier<Optional<StoreCubes>> cubes, Listing wanted)
            throws IOException {
        List<Bucket> rest =
                here(cubes, wanted.cube()).bucketsHere(wanted.cube()).stream()
                        .filter(each -> each.name().value().compareTo(wanted.after()) > 0)
                        .sorted(Comparator.comparing(BucketInfo::name))
                        .limit(PAGE_BUCKETS + 1L)
                        .map(Bucket::of)
                        .toList();
        boolean isMore = rest.size() > PAGE_BUCKETS;
        return BucketMessages.encode(
                new Page(isMore ? rest.subList(0, PAGE_BUCKETS) : rest, isMore));
    }

    private static StoreCubes here(Supplier<Optional<StoreCubes>> cubes, String cube)
            throws IOException {
        Optional<StoreCubes> now = cubes.get();
        if (now.isEmpty()) {
            throw unavailable(cube, "its node runs no server now").in(cube);
        }
        return now.get();
    }

    /** A step of decoding. */
    @FunctionalInterface
    private interface Decoding<T> {
        T decode() throws IOException;
    }

    private static <T> T valid(Decoding<T> value) throws IOException {
        try {
            return value.decode();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "a message about buckets has a value of another release: " + e.getMessage(), e);
        }
    }
}
