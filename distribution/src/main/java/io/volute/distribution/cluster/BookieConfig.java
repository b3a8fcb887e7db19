package io.volute.distribution.cluster;

import java.nio.file.Path;
import java.util.Locale;

/** The configuration of a bookie on loopback, as the local cluster and the tests run them. */
public final class BookieConfig {
    private BookieConfig() {}

    /**
     * Returns the text of the file.
     *
     * @param data directory of the bookie
     */
    public static String text(int port, int zooKeeperPort, Path data) {
        return String.format(
                Locale.ROOT,
                """
        bookiePort=%d
        listeningInterface=lo
        allowLoopback=true
        advertisedAddress=127.0.0.1
        metadataServiceUri=zk+longhierarchical://127.0.0.1:%d/volute/ledgers
        zkTimeout=10000
        journalDirectories=%s/journal
        ledgerDirectories=%s/ledgers
        indexDirectories=%s/index
        ledgerStorageClass=org.apache.bookkeeper.bookie.SortedLedgerStorage
        journalSyncData=true
        journalMaxGroupWaitMSec=1
        journalFlushWhenQueueEmpty=true
        journalPreAllocSizeMB=16
        journalMaxSizeMB=128
        journalMaxBackups=1
        logSizeLimit=134217728
        flushInterval=10000
        gcWaitTime=5000
        numAddWorkerThreads=1
        numReadWorkerThreads=2
        serverNumIOThreads=2
        httpServerEnabled=false
        diskUsageThreshold=0.98
        diskUsageWarnThreshold=0.97
        diskUsageLwmThreshold=0.96
        nettyMaxFrameSizeBytes=5253120
        """,
                port,
                zooKeeperPort,
                data,
                data,
                data);
    }
}
