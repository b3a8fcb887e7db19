package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.storage.BlobId;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.Caller;
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
 * The bytes of kept states by author, and the excess of each when space is short. No author loses
 * states while another has more. So junk that one user writes, or one address with a stolen key,
 * displaces its own history first. The shares are max-min fair between users, and between the
 * addresses of a user. Not thread-safe.
 */
final class HistoryShares {
    private static final byte[] OPEN_END = {};

    /** Maximum number of addresses per user in memory; further addresses count as one. */
    private static final int ADDRESSES_MAX = 4096;

    private static final int ACTORS_MAX = 1 << 16;

    /** Bytes of the network part of an IPv6 address. Its owner controls all addresses in it. */
    private static final int NETWORK_BYTES = 8;

    private final RecordStore cube;
    private final Map<String, Map<String, Share>> users = new HashMap<>();
    private final Map<Long, Share> byActor = new HashMap<>();
    private long total;

    private HistoryShares(RecordStore cube) {
        this.cube = cube;
    }

    /** The bytes of one user at one address; after {@link #release}, the bytes to remove. */
    private static final class Share {
        private long bytes;
    }

    /** The bytes to remove of each share. Not thread-safe. */
    final class Excess {
        private long left;

        private Excess(long left) {
            this.left = left;
        }

        boolean isLeft() {
            return left > 0;
        }

        /**
         * Returns whether a state is to be removed; if so, subtracts its bytes from its author's
         * share.
         *
         * @param row row of {@code history}
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

    /** Walks over all kept states. */
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

    /**
     * Returns the bytes of all kept states. Consecutive states of a key that share their content
     * count it once.
     */
    long total() {
        return total;
    }

    /** Distributes a removal of this many bytes over the shares. Call it once. */
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

    /** Returns the upper bound at which the sizes, capped by it, sum up to the allowed total. */
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
            // An address with a colon is never resolved as a host name.
            byte[] bytes = InetAddress.getByName(address).getAddress();
            return HexFormat.of().formatHex(bytes, 0, Math.min(NETWORK_BYTES, bytes.length));
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
