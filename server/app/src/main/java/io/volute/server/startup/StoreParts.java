package io.volute.server.startup;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.Upkeep;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.Keyring;
import io.volute.server.notification.Notifications;
import io.volute.server.s3.notification.EventRouter;
import io.volute.server.s3.notification.EventStreams;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.upkeep.BackupUpkeep;
import io.volute.server.upkeep.LifecycleUpkeep;
import io.volute.server.upkeep.Scrub;
import io.volute.server.upkeep.ScrubState;
import io.volute.storage.directory.StoreDirectory;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The object store of a server, and the tasks that run on it: audit log, upkeep, notifications,
 * scrub and backups.
 */
record StoreParts(
        MasterKey master,
        EventStreams streams,
        StoreCubes cubes,
        CubeReadiness readiness,
        AuditLogs audit,
        CubeTasks tasks,
        Notifications notifications,
        Scrub scrub,
        Keyring keyring,
        BackupUpkeep backups) {

    /**
     * Opens the store and starts its tasks.
     *
     * @throws IOException when something cannot be used; the message names it and the next step
     */
    static StoreParts open(StartContext start) throws IOException {
        ServerConfig config = start.config();
        StoreDirectory directory = start.place().directory();
        MasterKey master =
                MasterKeys.find(config, start.place().system(), start.files(), start.random());
        EventStreams streams = new EventStreams(config.protocol().region());
        StoreCubes cubes = openCubes(start, master, streams);
        CubeReadiness readiness = CubeReadiness.await(cubes, start.hasUpkeep());
        AuditLogs audit = openAudit(start, cubes.store());
        CubeTasks tasks = startTasks(start, cubes);
        Notifications notifications =
                start.resources()
                        .add(
                                "notifications",
                                Notifications.start(
                                        config.notifications(),
                                        cubes.store().outbox(),
                                        start.files(),
                                        start.clock()));
        Scrub scrub =
                new Scrub(
                        cubes::opened,
                        config.scrub(),
                        new ScrubState(directory),
                        start.clock(),
                        audit.damage());
        start.resources().add("scrub", scrub.start());
        Keyring keyring =
                start.role()
                        .keyring(
                                MasterKeys.keyring(config, directory, start.files()),
                                master,
                                start.random());
        BackupUpkeep.Sources sources =
                new BackupUpkeep.Sources(
                        cubes,
                        start.role().otherCubes(),
                        keyring::stored,
                        start.role()::hasStore,
                        scrub.damages());
        BackupUpkeep backups =
                BackupUpkeep.start(config, sources, start.files(), start.clock(), start.random());
        start.resources().add("backup", backups);
        return new StoreParts(
                master,
                streams,
                cubes,
                readiness,
                audit,
                tasks,
                notifications,
                scrub,
                keyring,
                backups);
    }

    private static StoreCubes openCubes(StartContext start, MasterKey master, EventStreams streams)
            throws IOException {
        ServerConfig config = start.config();
        ProvenanceSettings signing = MasterKeys.settings(config, master, start.random());
        ChangeRouter router =
                new ReplicationRouter(
                        new EventRouter(
                                config.protocol().region(),
                                config.notifications().queueLimit(),
                                streams));
        StoreCubes cubes =
                start.role()
                        .open(
                                start.place(),
                                each ->
                                        new StoreOptions(
                                                each,
                                                start.clock(),
                                                start.random(),
                                                StoreOptions.Limits.S3,
                                                config.history(),
                                                Optional.of(signing),
                                                router),
                                config.placement());
        return start.resources().add("object store", cubes);
    }

    private static AuditLogs openAudit(StartContext start, VersionedStore store)
            throws IOException {
        Supplier<Optional<Provenance>> chains =
                () -> start.role().hasStore() ? store.provenance() : Optional.empty();
        chains.get().ifPresent(each -> MasterKeys.warnOfAuditors(each, store));
        return AuditLogs.open(
                start.config(),
                start.place().directory(),
                chains,
                start.files(),
                start.clock(),
                start.resources());
    }

    private static CubeTasks startTasks(StartContext start, StoreCubes cubes) throws IOException {
        CubeTasks tasks =
                new CubeTasks(
                        start.config(),
                        cubes,
                        start.place().directory(),
                        start.files(),
                        start.clock(),
                        start.nanos());
        start.resources().add("background tasks of cubes", tasks);
        if (start.hasUpkeep()) {
            cubes.follow(tasks);
            Duration day = start.config().lifecycleDay();
            LifecycleUpkeep lifecycle = new LifecycleUpkeep(cubes.store(), start.clock(), day);
            start.resources()
                    .add(
                            "lifecycle",
                            Upkeep.start("lifecycle", LifecycleUpkeep.pauses(day), lifecycle));
        }
        return tasks;
    }

    VersionedStore store() {
        return cubes.store();
    }
}
