package io.volute.server.admin;

import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.server.backup.BackupControl;
import io.volute.server.encryption.DataKeys;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.identity.IdentityStore;
import io.volute.server.s3.replication.ReplicationControl;
import io.volute.storage.directory.LogPlacement;
import io.volute.versioning.History;
import io.volute.versioning.Provenance;
import io.volute.versioning.Restore;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The objects that the admin API acts on; it owns none of them.
 *
 * @param logs places of the logs of open cubes, by name
 * @param store the history, the restores and the provenance are its own
 * @param provenance empty when nothing is signed
 * @param dataKeys wraps the data keys of encrypted objects; empty for a store without one
 * @param identities users, keys, groups, roles and policies
 * @param requests of clients, and of operators
 * @param targets of event notifications
 * @param replication of buckets
 * @param cluster of which this server is the owner; empty when it is no node of one
 * @param others answers of the other owners of the cluster
 * @param lifecycleDay length of the days that lifecycle rules count
 */
public record AdminParts(
        StoreCubes cubes,
        Function<String, Optional<LogPlacement>> logs,
        VersionedStore store,
        History history,
        Restore restore,
        Optional<Provenance> provenance,
        Optional<DataKeys> dataKeys,
        Scrubber scrubber,
        BackupControl backups,
        IdentityStore identities,
        RequestTally requests,
        Supplier<Targets> targets,
        ReplicationControl replication,
        Optional<ClusterControl> cluster,
        OtherAnswers others,
        Duration lifecycleDay) {

    /** The cluster of which this server is the owner. Thread-safe. */
    public interface ClusterControl {
        /**
         * Returns the cluster as this node sees it; empty until the node serves.
         *
         * @param cubes those of the store
         */
        Optional<Cluster> cluster(List<StoreCubes.CubeInfo> cubes) throws IOException;

        /**
         * Hands the store over to a node, after this call.
         *
         * @throws StoreException INVALID_ARGUMENT when that node does not run, is drained, or is
         *     this one
         */
        HandOver moveTo(String node) throws IOException;

        /**
         * Places a cube at a node, with those that share a divided bucket with it. Their owners
         * give them up after this call.
         *
         * @throws StoreException INVALID_ARGUMENT when that node does not run, is drained, or has
         *     the cube; when there is no such cube, or it stays where the system cube is; when a
         *     bucket of it is being moved
         */
        HandOver moveCube(String cube, String node) throws IOException;

        /**
         * Lets a node have neither the store nor cubes. They go to other nodes after this call.
         *
         * @param isOff whether the node may have them again
         * @throws StoreException INVALID_ARGUMENT when that node does not run, or no other could
         *     have the store
         */
        HandOver drain(String node, boolean isOff) throws IOException;
    }
}
