package io.volute.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the server may use. Think hard before changing this. */
@AnalyzeClasses(packages = "io.volute", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule onlyTheHttpLayerKnowsNetty =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.server..")
                    .and()
                    .resideOutsideOfPackages("io.volute.server.http..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.netty..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule touchesNoFilesAndNoIndex =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.server..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.rocksdb..", "java.nio.channels..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule knowsNoCommandLine =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.server..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.volute.admin..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule usesNoInnerPackagesOfTheStorageCore =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.server..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.volute.storage.log..",
                            "io.volute.storage.index..",
                            "io.volute.storage.cube..",
                            "io.volute.storage.format..")
                    .allowEmptyShould(true);

    @ArchTest
    static final ArchRule fetchesNothing =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.server..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.net.http..")
                    .allowEmptyShould(true);
}
