package io.volute.storage.log.ledger;

import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledgers that earlier owners created, and that are not listed: a crash left them. */
final class LedgerGarbage {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerGarbage.class);

    private LedgerGarbage() {}

    /** Deletes ledgers of a cube from before an epoch, except the listed ones. */
    static void delete(Ledgers ledgers, UUID cube, long epoch, Set<Long> listed) {
        try {
            for (long id : ledgers.ofCube(cube, epoch)) {
                if (!listed.contains(id)) {
                    ledgers.delete(id);
                }
            }
        } catch (IOException e) {
            LOG.warn("unlisted ledgers stay until the next start: {}", e.getMessage());
        }
    }
}
