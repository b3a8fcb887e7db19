package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandbyMetersTest {
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<String, StandbyFigures> standbys = new HashMap<>();
    private final StandbyMeters meters = new StandbyMeters(registry, () -> standbys);

    @Test
    void eachCubeHasTheFiguresOfItsStandby() {
        meters.refresh();
        assertThat(registry.scrape()).doesNotContain("volute_standby");
        standbys.put("default", new StandbyFigures(true, 0.5, 4096, 2));
        standbys.put("other", new StandbyFigures(false, 7, 0, 0));
        meters.refresh();
        assertThat(registry.scrape())
                .contains("volute_standby_following{cube=\"default\"} 1.0")
                .contains("volute_standby_lag_seconds{cube=\"default\"} 0.5")
                .contains("volute_standby_lag_bytes{cube=\"default\"} 4096.0")
                .contains("volute_standby_builds{cube=\"default\"} 2.0")
                .contains("volute_standby_following{cube=\"other\"} 0.0")
                .contains("volute_standby_lag_seconds{cube=\"other\"} 7.0");
    }

    @Test
    void anOwnerHasNoLag() {
        standbys.put("default", new StandbyFigures(true, 0.5, 4096, 2));
        meters.refresh();
        standbys.clear();
        meters.refresh();
        assertThat(registry.scrape())
                .contains("volute_standby_following{cube=\"default\"} 0.0")
                .contains("volute_standby_lag_seconds{cube=\"default\"} 0.0");
    }
}
