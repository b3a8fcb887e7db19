package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.storage.BlobId;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.Caller;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.RowKeys;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The bytes of kept states by who wrote them, and what must go of each when room is short: nobody's
 * states go as long as somebody else has more. So junk that one user writes, or one address with a
 * user's stolen key, displaces its own history first. The shares are max-min fair: between users,
 * and within a user between addresses. Used by one thread.
 */
final class HistoryShares {
    private static final byte[] OPEN_END = {};

    /** Bounds the memory; the addresses of a user beyond it count as one. */
    private static final int ADDRESSES_MAX = 4096;

    private static final int ACTORS_MAX = 1 << 16;

    /** The first half of an IPv6 address: who has one has all with the same. */
    private static final int NETWORK_BYTES = 8;

    private final RecordStore cube;
    private final Map<String, Map<String, Share>> users = new HashMap<>();
    private final Map<Long, Share> byActor = new HashMap<>();
    private long total;

    private HistoryShares(RecordStore cube) {
        this.cube = cube;
    }

    /** The bytes of one user at one address, or what of them must go. */
    private static final class Share {
        private long bytes;
    }

    /** What must go of each share. Used by one thread. */
    final class Excess {
        private long left;

        private Excess(long left) {
            this.left = left;
        }

        boolean isLeft() {
            return left > 0;
        }

        /**
         * Returns whether a state is to go; if so, its bytes count.
         *
         * @param row of {@code history}
         */
        boolean take(StoredRecord row, long bytes) {
            Share share = share(HistoryRow.decode(row.summary()).state().causal().actor());
            if (share.bytes <= 0) {
                return false;
            }
            left -= Math.min(share.bytes, bytes);
            share.bytes -= bytes;
            return true;
        }
    }

    /** Walks over all that is kept. */
    static HistoryShares measure(RecordStore cube) {
        HistoryShares shares = new HistoryShares(cube);
        List<BlobId> last = List.of();
        try (RecordCursor cursor = cube.scan(HISTORY, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                StoredRecord record = cursor.record();
                boolean isShared = !last.isEmpty() && record.references().equals(last);
                long bytes =
                        isShared
                                ? HistoryTrim.rowBytes(cursor.key(), record)
                                : HistoryTrim.bytes(cursor.key(), record);
                long actor = HistoryRow.decode(record.summary()).state().causal().actor();
                shares.share(actor).bytes += bytes;
                shares.total += bytes;
                last = record.references();
            }
        }
        return shares;
    }

    /** Returns the bytes of all; of states that share theirs, one behind another, once. */
    long total() {
        return total;
    }

    /** Returns what must go of each so that so many bytes go of all. To be called once. */
    Excess release(long bytes) {
        long[] ofUsers = users.values().stream().mapToLong(HistoryShares::sum).toArray();
        long level = level(ofUsers, Math.max(0, total - bytes));
        long left = 0;
        for (Map<String, Share> user : users.values()) {
            long allowed = Math.min(level, sum(user));
            long[] ofAddresses = user.values().stream().mapToLong(share -> share.bytes).toArray();
            long levelOfUser = level(ofAddresses, allowed);
            for (Share share : user.values()) {
                share.bytes = Math.max(0, share.bytes - levelOfUser);
                left += share.bytes;
            }
        }
        return new Excess(left);
    }

    private static long sum(Map<String, Share> user) {
        return sum(user.values());
    }

    private static long sum(Collection<Share> shares) {
        return shares.stream().mapToLong(share -> share.bytes).sum();
    }

    /** Returns the bound of each size with which they are so much together. */
    static long level(long[] sizes, long allowed) {
        long[] ascending = sizes.clone();
        Arrays.sort(ascending);
        long left = allowed;
        for (int i = 0; i < ascending.length; i++) {
            long equal = left / (ascending.length - i);
            if (ascending[i] > equal) {
                return equal;
            }
            left -= ascending[i];
        }
        return Long.MAX_VALUE;
    }

    private Share share(long actor) {
        if (byActor.size() == ACTORS_MAX) {
            byActor.clear();
        }
        return byActor.computeIfAbsent(actor, this::find);
    }

    private Share find(long actor) {
        Optional<ActorRow> row =
                cube.get(ACTORS, RowKeys.number(actor))
                        .map(each -> ActorRow.decode(each.summary()));
        String user =
                row.map(
                                known ->
                                        known.parent()
                                                .map(Caller.Parent::principal)
                                                .orElse(known.principal()))
                        .orElse("");
        Map<String, Share> addresses = users.computeIfAbsent(user, any -> new HashMap<>());
        String address = row.map(known -> network(known.name().address())).orElse("");
        return addresses.computeIfAbsent(
                addresses.size() < ADDRESSES_MAX || addresses.containsKey(address) ? address : "",
                any -> new Share());
    }

    private static String network(String address) {
        if (!address.contains(":")) {
            return address;
        }
        try {
            // With a colon it is never looked up as a name.
            byte[] bytes = InetAddress.getByName(address).getAddress();
            return HexFormat.of().formatHex(bytes, 0, Math.min(NETWORK_BYTES, bytes.length));
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
