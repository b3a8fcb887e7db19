package io.volute.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Meters over figures of another part. They are read once a scrape, so that all are of one moment
 * and cost nothing in between. Meters hold no reference to this: the owner does.
 */
final class Figures<T> {
    private final MeterRegistry registry;
    private final Supplier<T> source;
    private final Tags tags;
    private volatile T now;

    /**
     * @param tags that all of them have
     */
    Figures(MeterRegistry registry, Supplier<T> source, Tags tags) {
        this.registry = registry;
        this.source = source;
        this.tags = tags;
        this.now = source.get();
    }

    /** Takes them anew. */
    void refresh() {
        now = source.get();
    }

    T now() {
        return now;
    }

    /** Adds a figure that only grows; its name ends with {@code _total}. */
    Figures<T> counter(String name, String help, ToDoubleFunction<T> figure, String... more) {
        FunctionCounter unused =
                FunctionCounter.builder(name, this, self -> figure.applyAsDouble(self.now))
                        .description(help)
                        .tags(tags.and(more))
                        .register(registry);
        return this;
    }

    /** Adds a figure that rises and falls. */
    Figures<T> gauge(String name, String help, ToDoubleFunction<T> figure, String... more) {
        Gauge unused =
                Gauge.builder(name, this, self -> figure.applyAsDouble(self.now))
                        .description(help)
                        .tags(tags.and(more))
                        .register(registry);
        return this;
    }
}
