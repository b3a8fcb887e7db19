package io.volute.server.replication;

import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.provenance.keys.PrivateFile;
import io.volute.server.Upkeep;
import io.volute.server.auth.policy.Authority;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.S3Access;
import io.volute.server.outbound.S3Client;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationControl;
import io.volute.versioning.Damages;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The targets of replication and their deliveries. Thread-safe. */
public final class Replication implements ReplicationControl, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

    private static final int LANES = 8;

    private static final S3Client.Settings SETTINGS =
            new S3Client.Settings("credential-file", "region", "ca-file");

    private final Sources sources;
    private final InstantSource clock;
    private final Map<String, ReplicaDelivery> deliveries = new LinkedHashMap<>();
    private final ReplicationReport report;
    private final ExistingRuns runs;
    private final List<Upkeep> running = new ArrayList<>();

    /** Empty when nothing is delivered. Set before the start ends. */
    private Optional<Replicas> replicas = Optional.empty();

    private Replication(Sources sources, InstantSource clock) throws IOException {
        this.sources = sources;
        this.clock = clock;
        this.runs =
                new ExistingRuns(
                        sources.store(),
                        clock,
                        (target, destination) ->
                                Optional.ofNullable(deliveries.get(target))
                                        .map(each -> each.heldBesides(destination))
                                        .orElse(0L));
        this.report =
                new ReplicationReport(
                        sources.store().outbox(), clock, Collections.unmodifiableMap(deliveries));
    }

    /**
     * Starts the deliveries. Each has a thread.
     *
     * @param id of the store
     * @param authority decides about the callers that configured replication
     * @param users finds them
     * @throws IOException when the files of a target cannot be used; the message names the target
     */
    public static Replication start(
            ReplicationConfig config,
            VersionedStore store,
            UUID id,
            S3Settings settings,
            Authority authority,
            CredentialStore users)
            throws IOException {
        InstantSource clock = settings.clock();
        Replication all =
                new Replication(new Sources(store, id, settings.encryption().dataKeys()), clock);
        ConfigurerRights rights = new ConfigurerRights(store, authority, users, settings);
        try {
            Map<String, Replicas.Elsewhere> elsewhere = new LinkedHashMap<>();
            for (ReplicationConfig.Target each : config.targets()) {
                S3Requests requests = new S3Requests(all.client(each));
                elsewhere.put(each.name(), new Replicas.Elsewhere(each.type(), requests));
                all.start(each.name(), all.lanes(each, requests, rights));
            }
            all.replicas = Optional.of(new Replicas(all.sources, rights, elsewhere));
            List<Sink> here = new ArrayList<>();
            for (int i = 0; i < LANES; i++) {
                here.add(new StoreSink(all.sources, rights, clock));
            }
            all.start(ReplicationConfig.LOCAL, here);
            all.running.add(Upkeep.start("replicate-existing", ExistingRuns.PAUSES, all.runs));
        } catch (IOException e) {
            all.close();
            throw e;
        }
        for (String name : all.report.unknown()) {
            LOG.warn(
                    "{} changes wait for replication target {}, which the settings do not have. Add"
                            + " it to replication.targets.",
                    all.report.figures(name).waiting(),
                    name);
        }
        return all;
    }

    /**
     * Returns the replication of a store that is only read: it has a state, and delivers nothing.
     *
     * @throws IOException when the runs for existing objects cannot be read
     */
    public static Replication idle(VersionedStore store, InstantSource clock) throws IOException {
        return new Replication(new Sources(store, new UUID(0, 0), Optional.empty()), clock);
    }

    @Override
    public Damages.Source.OfReplica replicas() {
        return replicas.<Damages.Source.OfReplica>map(each -> each)
                .orElse(
                        state -> {
                            throw new IOException("this node delivers no replicas");
                        });
    }

    private void start(String target, List<Sink> lanes) {
        ReplicaDelivery delivery = new ReplicaDelivery(target, sources.store(), lanes, clock);
        deliveries.put(target, delivery);
        Upkeep upkeep = Upkeep.start("replicate-" + target, ReplicaDelivery.PAUSES, delivery);
        running.add(upkeep);
        sources.store().outbox().onMessage(ReplicaTarget.consumer(target), upkeep::wake);
    }

    private S3Client client(ReplicationConfig.Target target) throws IOException {
        try {
            PrivateFile file = new PrivateFile("the credential file", target.credentialFile());
            Addresses addresses =
                    new Addresses(
                            Addresses.Resolver.OF_SYSTEM,
                            target.isLoopbackAllowed(),
                            target.isPlainAllowed()
                                    ? Addresses.Plain.EVERYWHERE
                                    : Addresses.Plain.NEVER);
            S3Access.Signers signers = () -> signer(target, file);
            // A bad file should fail the start, not the first change.
            RequestSigner unused = signers.get();
            return new S3Client(
                    target.endpoint(),
                    addresses,
                    new S3Access(signers, target.authorities()),
                    SETTINGS,
                    clock);
        } catch (IOException e) {
            throw new IOException(
                    "Cannot use the replication target " + target.name() + ": " + e.getMessage(),
                    e);
        }
    }

    private List<Sink> lanes(
            ReplicationConfig.Target target, S3Requests requests, ConfigurerRights rights) {
        List<Sink> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new S3Sink(target.name(), sources, rights, target.type(), requests, clock));
        }
        return lanes;
    }

    /** Reads the credential of a target anew: it may be renewed. */
    private static RequestSigner signer(ReplicationConfig.Target target, PrivateFile file)
            throws IOException {
        String text = file.read();
        int colon = text.indexOf(':');
        if (colon < 1 || !text.matches("[\\x21-\\x7E]+")) {
            throw file.unusable("is not ACCESSKEY:SECRETKEY in one line");
        }
        return new RequestSigner(
                text.substring(0, colon), text.substring(colon + 1), target.region());
    }

    /** Returns the figures of the targets in the settings and of this store, by their names. */
    public Map<String, Supplier<ReplicationFigures>> figures() {
        Map<String, Supplier<ReplicationFigures>> figures = new LinkedHashMap<>();
        deliveries.keySet().forEach(name -> figures.put(name, () -> report.figures(name)));
        return figures;
    }

    @Override
    public io.volute.adminapi.ReplicationApi.Replication status(Optional<BucketName> bucket)
            throws IOException {
        return bucket.isPresent()
                ? report.of(bucket.get(), runs.of(bucket.get()).stream().map(this::run).toList())
                : report.ofAll(runs.all().stream().map(this::run).toList());
    }

    @Override
    public Optional<ReplicationRun> start(BucketName bucket, boolean isAgain, int rate)
            throws IOException {
        return runs.start(bucket, isAgain, rate).map(this::run);
    }

    @Override
    public Optional<ReplicationRun> stop(BucketName bucket) throws IOException {
        return runs.stop(bucket).map(this::run);
    }

    @Override
    public long retry(BucketName bucket) throws IOException {
        return report.takeRefused(
                bucket,
                (target, messages) -> {
                    sources.store()
                            .outbox()
                            .move(
                                    ReplicaTarget.failed(target),
                                    messages,
                                    ReplicaTarget.consumer(target));
                    Optional.ofNullable(deliveries.get(target))
                            .ifPresent(ReplicaDelivery::beginAnew);
                });
    }

    @Override
    public long forget(BucketName bucket) throws IOException {
        return report.takeRefused(
                bucket,
                (target, messages) ->
                        sources.store().outbox().remove(ReplicaTarget.failed(target), messages));
    }

    @Override
    public void close() {
        running.forEach(Upkeep::close);
    }

    private ReplicationRun run(ExistingRun run) {
        return ReplicationReport.run(run, runs.extent(run));
    }
}
