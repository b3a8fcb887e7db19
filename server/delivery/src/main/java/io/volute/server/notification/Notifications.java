package io.volute.server.notification;

import io.volute.adminapi.NotificationApi;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.server.Upkeep;
import io.volute.server.config.NotificationConfig;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.outbound.Addresses;
import io.volute.server.s3.notification.TargetArn;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Outbox;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The targets of event notifications and their deliveries. Thread-safe. */
public final class Notifications implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);

    private final Outbox outbox;
    private final FileSystem files;
    private final InstantSource clock;
    private final Map<String, String> types;
    private final Map<String, TargetDelivery> deliveries = new LinkedHashMap<>();
    private final List<Upkeep> running = new ArrayList<>();

    private Notifications(
            NotificationConfig config, Outbox outbox, FileSystem files, InstantSource clock) {
        this.outbox = outbox;
        this.files = files;
        this.clock = clock;
        this.types = config.types();
    }

    /**
     * Starts the deliveries. Each has a thread.
     *
     * @throws IOException when the files of a target cannot be used; the message names the target
     */
    public static Notifications start(
            NotificationConfig config, Outbox outbox, FileSystem files, InstantSource clock)
            throws IOException {
        Notifications all = new Notifications(config, outbox, files, clock);
        try {
            for (TargetConfig each : config.targets()) {
                all.start(each);
            }
        } catch (IOException e) {
            all.close();
            throw e;
        }
        all.unknown()
                .forEach(
                        name ->
                                LOG.warn(
                                        "{} notifications wait for target {}, which the settings do"
                                                + " not have. Add it to notifications.targets.",
                                        outbox.queue(name).messages(),
                                        name));
        return all;
    }

    private void start(TargetConfig config) throws IOException {
        Target target;
        try {
            target = open(config);
        } catch (IOException e) {
            throw new IOException(
                    "Cannot use the notification target " + config.name() + ": " + e.getMessage(),
                    e);
        }
        TargetDelivery delivery = new TargetDelivery(config.name(), outbox, target, clock);
        deliveries.put(config.name(), delivery);
        Upkeep upkeep = Upkeep.start("notify-" + config.name(), TargetDelivery.PAUSES, delivery);
        running.add(upkeep);
        outbox.onMessage(config.name(), upkeep::wake);
    }

    private Target open(TargetConfig config) throws IOException {
        return switch (config) {
            case TargetConfig.Webhook webhook ->
                    new WebhookTarget(webhook, Addresses.Resolver.OF_SYSTEM);
            case TargetConfig.File file -> new FileTarget(file, files, clock);
            case TargetConfig.Kafka kafka -> new KafkaTarget(kafka, Addresses.Resolver.OF_SYSTEM);
            case TargetConfig.Nats nats -> new NatsTarget(nats, Addresses.Resolver.OF_SYSTEM);
        };
    }

    /** Returns the types of the targets in the settings, by their names. */
    public Map<String, String> types() {
        return types;
    }

    private Set<String> unknown() {
        Set<String> names = new TreeSet<>(outbox.consumers());
        names.removeAll(types.keySet());
        names.removeIf(ReplicaTarget::isConsumer);
        return names;
    }

    /**
     * The state of one target.
     *
     * @param arn empty when the settings do not have the target any more
     * @param failure the reason why the last attempt failed
     */
    public record Status(
            String name, Optional<String> arn, TargetFigures figures, Optional<String> failure) {}

    /** Returns the states of all targets, for operators. */
    public Targets report() {
        return new Targets(
                status().stream()
                        .map(
                                each ->
                                        new NotificationApi.Target(
                                                each.name(),
                                                each.arn(),
                                                each.figures().delivered(),
                                                each.figures().failures(),
                                                each.figures().waiting(),
                                                each.figures().lag().toMillis(),
                                                each.figures().omitted(),
                                                each.failure()))
                        .toList());
    }

    /** Returns the figures of the targets in the settings, by their names. */
    public Map<String, Supplier<TargetFigures>> figures() {
        Map<String, Supplier<TargetFigures>> figures = new LinkedHashMap<>();
        types.keySet().forEach(name -> figures.put(name, () -> figures(name)));
        return figures;
    }

    /** Returns the states of all targets, also of those that only have messages. */
    public List<Status> status() {
        List<Status> all = new ArrayList<>();
        types.keySet().forEach(name -> all.add(status(name)));
        unknown().forEach(name -> all.add(status(name)));
        return all;
    }

    private Status status(String name) {
        return new Status(
                name,
                Optional.ofNullable(types.get(name)).map(type -> TargetArn.text(name, type)),
                figures(name),
                Optional.ofNullable(deliveries.get(name)).flatMap(TargetDelivery::failure));
    }

    private TargetFigures figures(String name) {
        Outbox.Queue queue = outbox.queue(name);
        Optional<TargetDelivery> delivery = Optional.ofNullable(deliveries.get(name));
        return new TargetFigures(
                delivery.map(TargetDelivery::delivered).orElse(0L),
                delivery.map(TargetDelivery::failures).orElse(0L),
                queue.messages(),
                queue.oldest()
                        .map(at -> Duration.between(at, clock.instant()))
                        .filter(Duration::isPositive)
                        .orElse(Duration.ZERO),
                queue.omitted(),
                delivery.map(TargetDelivery::unreadable).orElse(0L));
    }

    @Override
    public void close() {
        running.forEach(Upkeep::close);
    }
}
