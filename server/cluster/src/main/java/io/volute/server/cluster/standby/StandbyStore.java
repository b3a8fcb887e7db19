package io.volute.server.cluster.standby;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.notification.EventSettings;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.startup.KnownCallers;
import io.volute.server.startup.Protocols;
import io.volute.storage.Cube;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * S3 over the cubes as standby indexes had them at one moment, with the users and policies of that
 * moment. Thread-safe.
 *
 * @param cubes of the store
 * @param system the system cube, closed behind the others
 * @param s3 answers reads; others fail
 */
public record StandbyStore(StoreCubes cubes, Cube system, S3Handler s3) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandbyStore.class);

    /**
     * The options, which are the same at every moment.
     *
     * @param root the root's credential
     * @param master opens the keys of users
     */
    public record Options(
            ServerConfig config,
            Credential root,
            MasterKey master,
            S3Settings settings,
            SecureRandom random,
            InstantSource clock) {

        /** Creates the options of a node. Objects that the keyring encrypts cannot be read. */
        public static Options of(
                ServerConfig config,
                Credential root,
                MasterKey master,
                SecureRandom random,
                InstantSource clock) {
            ServerConfig.Protocol protocol = config.protocol();
            Encryption encryption =
                    new Encryption(
                            Optional.empty(),
                            Set.copyOf(protocol.restrictedKeys()),
                            protocol.customerKeysOverHttp());
            S3Settings settings =
                    Protocols.settings(
                            config,
                            encryption,
                            EventSettings.none(),
                            Optional.empty(),
                            clock,
                            random);
            return new Options(config, root, master, settings, random, clock);
        }

        private StoreOptions ofCube(Cube cube) {
            return new StoreOptions(
                    cube,
                    clock,
                    random,
                    StoreOptions.Limits.S3,
                    config.history(),
                    Optional.empty(),
                    ChangeRouter.NONE);
        }
    }

    /** A cube for reading, with its identity. */
    record ViewedCube(UUID id, Cube cube) {}

    /**
     * Opens the store.
     *
     * @param views cubes by name, with the system cube; closed by this, also after a failure
     */
    static StandbyStore open(Options options, Map<String, ViewedCube> views) throws IOException {
        Cube system = views.get(StoreCubes.SYSTEM).cube();
        Views files = new Views(views);
        boolean isOpen = false;
        try {
            StoreCubes cubes = ObjectStores.readCubes(files, system, options::ofCube);
            KnownCallers callers =
                    KnownCallers.of(
                            options.config(),
                            options.root(),
                            system,
                            () -> false,
                            options.master(),
                            options.random(),
                            options.clock());
            S3Handler s3 = callers.s3(cubes.store(), options.settings(), AuditTrail.NONE);
            isOpen = true;
            return new StandbyStore(cubes, system, s3);
        } finally {
            files.closeUnused(isOpen);
        }
    }

    @Override
    public void close() {
        try (Cube closedLast = system) {
            cubes.close();
        } catch (IOException e) {
            LOG.warn("a view of cube {} was not closed in order", StoreCubes.SYSTEM, e);
        }
    }

    /** The views as the files of a store that takes no changes. Used by one thread. */
    private static final class Views implements StoreCubes.Files {
        private final Map<String, ViewedCube> views;
        private final Set<String> used = new HashSet<>(Set.of(StoreCubes.SYSTEM));

        Views(Map<String, ViewedCube> views) {
            this.views = views;
        }

        @Override
        public Cube open(String name) {
            used.add(name);
            return views.get(name).cube();
        }

        @Override
        public Optional<UUID> identity(String name) {
            return Optional.ofNullable(views.get(name)).map(ViewedCube::id);
        }

        /** Closes the views of cubes that the store has not opened; all after a failure. */
        void closeUnused(boolean isOpen) throws IOException {
            for (Map.Entry<String, ViewedCube> each : views.entrySet()) {
                if (!isOpen || !used.contains(each.getKey())) {
                    each.getValue().cube().close();
                }
            }
        }

        @Override
        public void allowSeveralCubes() {
            throw onlyTheOwner();
        }

        @Override
        public void discardIndex(String name) {
            throw onlyTheOwner();
        }

        @Override
        public String retire(String name, int number) {
            throw onlyTheOwner();
        }

        private static UnsupportedOperationException onlyTheOwner() {
            return new UnsupportedOperationException("only the owner changes the cubes");
        }
    }
}
