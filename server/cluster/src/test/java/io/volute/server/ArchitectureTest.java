package io.volute.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The allowed dependencies of the server. Think hard before changing this. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    // The test beds of the modules below.
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("io.volute");

    @Test
    void onlyTheHttpLayerKnowsNetty() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.server..")
                .and()
                .resideOutsideOfPackages("io.volute.server.http..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyMetersKnowMicrometer() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.volute.server.metrics..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..", "io.prometheus..")
                .check(CLASSES);
    }

    /** OpenTelemetry must not be loaded when nothing is traced. */
    @Test
    void onlyTracingKnowsOpenTelemetry() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.volute.server.tracing..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.opentelemetry..")
                .check(CLASSES);
    }

    /** BookKeeper and ZooKeeper must not be loaded for a log on local disk. */
    @Test
    void onlyTheCubesOfAStoreKnowBookKeeper() {
        noClasses()
                .that()
                .resideInAPackage("io.volute.server..")
                .and()
                .resideOutsideOfPackage("io.volute.server.cluster..")
                .and()
                .doNotHaveSimpleName("CubeFiles")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.bookkeeper..",
                        "org.apache.bookkeeper..",
                        "org.apache.zookeeper..")
                .check(CLASSES);
    }

    /** The libraries of brokers must not be loaded without a target of their kind. */
    @Test
    void onlyTheirTargetsKnowBrokers() {
        onlyUsedBy("org.apache.kafka..", ".*\\.notification\\.Kafka.*");
        onlyUsedBy("io.nats..", ".*\\.notification\\.Nats.*");
    }

    private static void onlyUsedBy(String library, String targets) {
        noClasses()
                .that()
                .haveNameNotMatching(targets)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(library)
                .check(CLASSES);
    }

    @Test
    void touchesNoFilesAndNoIndex() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.rocksdb..", "java.nio.channels..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void knowsNoCommandLine() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.volute.admin..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void usesNoInnerPackagesOfTheStorageCore() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.volute.storage..", "io.volute.bookkeeper..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.volute.storage..")
                                .and(
                                        resideOutsideOfPackages(
                                                "io.volute.storage",
                                                "io.volute.storage.report",
                                                "io.volute.storage.directory",
                                                "io.volute.storage.heap",
                                                "io.volute.storage.io")))
                .check(CLASSES);
    }

    /** Java's client resolves a name again after its addresses were checked. */
    @Test
    void fetchesNothing() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net.http..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /** The root package starts all others, and has the limits that they use: it is left out. */
    @Test
    void noPackagesUseEachOther() {
        slices().matching("io.volute.server.(**)").should().beFreeOfCycles().check(CLASSES);
    }
}
