package io.volute.versioning.provenance;

import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.storage.Cube;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The keys of auditors and principals: those of the system cube, which all other cubes follow. So a
 * change needs no other node. Thread-safe.
 */
public final class SystemKeys {
    private final Cube system;
    private final Optional<ProvenanceSettings> settings;

    /** Held while a cube follows, by its number: it must not follow an older list again. */
    private final Map<Integer, ReentrantLock> following = new ConcurrentHashMap<>();

    /** The last list that was read and verified. */
    private volatile Optional<KeyList> known = Optional.empty();

    /**
     * @param system the system cube, or a view of it
     * @param settings empty for a store that does not sign
     */
    public SystemKeys(Cube system, Optional<ProvenanceSettings> settings) {
        this.system = system;
        this.settings = settings;
    }

    /** Returns the present list. It only grows, so one of the same size is the same. */
    private Optional<KeyList> list() throws IOException {
        if (settings.isEmpty()) {
            return Optional.empty();
        }
        Optional<KeyList> last = known;
        if (last.isEmpty() || last.get().size() != StoreKeys.records(system)) {
            last = StoreKeys.list(system, settings.get());
            known = last;
        }
        return last;
    }

    /**
     * Gives another cube the open keys, and ends those that have ended.
     *
     * @param cube its number
     * @param own its keys
     */
    public void follow(int cube, Provenance own) throws IOException {
        ReentrantLock lock = following.computeIfAbsent(cube, number -> new ReentrantLock());
        lock.lock();
        try {
            Optional<KeyList> list = list();
            if (list.isPresent()) {
                follow(own, list.get());
            }
        } finally {
            lock.unlock();
        }
    }

    private static void follow(Provenance own, KeyList list) throws IOException {
        // Ends first: a new auditor can have the name of one that has ended.
        for (KeyGrant each : own.keys().open(KeyRole.AUDITOR)) {
            if (hasEnded(list, each)) {
                own.endAuditor(each.owner());
            }
        }
        for (KeyGrant each : own.keys().open(KeyRole.PRINCIPAL)) {
            if (hasEnded(list, each)) {
                own.endPrincipalKey(each.key().id());
            }
        }
        for (KeyGrant each : list.open(KeyRole.PRINCIPAL)) {
            if (own.keys().find(each.key().id()).isEmpty()) {
                own.addPrincipalKey(each.owner(), each.key());
            }
        }
        for (KeyGrant each : list.open(KeyRole.AUDITOR)) {
            if (own.keys().find(each.key().id()).isEmpty()) {
                own.addAuditor(each.owner(), each.key());
            }
        }
    }

    /** A key that the list does not have is newer than it, and an ended one never returns. */
    private static boolean hasEnded(KeyList list, KeyGrant grant) {
        return list.find(grant.key().id())
                .filter(each -> each.validUntil() != KeyGrant.OPEN)
                .isPresent();
    }
}
