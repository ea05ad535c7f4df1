// As UIKit.swift, for SwiftUI, and for the views that StoreKit has where both are imported. Pages are under
// https://developer.apple.com/documentation/swiftui/, those of StoreView under …/storekit/.
import Foundation
import Observation
import StoreKit

/// view, viewbuilder
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { return fatalError("no body") } }

extension Optional: View where Wrapped: View { public var body: Never { return fatalError("no body") } }

@resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<Content: View>(first: Content) -> TupleView { TupleView() }
    public static func buildEither<Content: View>(second: Content) -> TupleView { TupleView() }
}

public struct TupleView: View {
    nonisolated init() {}
    public var body: Never { return fatalError("no body") }
}

/// emptyview
public struct EmptyView: View {
    nonisolated public init() {}
    public var body: Never { return fatalError("no body") }
}

/// app, scene, windowgroup, scenephase
@MainActor @preconcurrency public protocol Scene {}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}
extension App { public static func main() {} }
public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}
public enum ScenePhase: Comparable { case background, inactive, active }

/// state, binding, environment, environmentvalues/scenephase
@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { fatalError("no value") }
        nonmutating set {}
    }
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var projectedValue: Binding<Value> { Binding(()) }
}
@propertyWrapper public struct Binding<Value> {
    init(_ nothing: Void) {}
    public var wrappedValue: Value {
        get { fatalError("no value") }
        nonmutating set {}
    }
}
public struct EnvironmentValues { public var scenePhase: ScenePhase { .active } }
@propertyWrapper public struct Environment<Value> {
    public var wrappedValue: Value { fatalError("no value") }
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public init(_ type: Value.Type) where Value: AnyObject, Value: Observable {}
}

/// text, button, list, vstack
public struct Text: View {
    nonisolated public init<Words: StringProtocol>(_ words: Words) {}
    public var body: Never { return fatalError("no body") }
}
public struct Button: View {
    nonisolated public init<Words: StringProtocol>(_ title: Words, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return fatalError("no body") }
}
public struct List<Content: View>: View {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError("no body") }
}
public struct VStack<Content: View>: View {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return fatalError("no body") }
}

extension View {
    /// view/environment(_:)
    nonisolated public func environment<Value: AnyObject & Observable>(_ object: Value?) -> some View { EmptyView() }
    /// view/task(priority:_:)
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    /// view/onchange(of:initial:_:)
    nonisolated public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { EmptyView() }
    /// view/sheet(ispresented:ondismiss:content:)
    nonisolated public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View { EmptyView() }
    /// view/disabled(_:)
    nonisolated public func disabled(_ disabled: Bool) -> some View { EmptyView() }
    /// view/inapppurchaseoptions(_:)
    nonisolated public func inAppPurchaseOptions(
        _ options: ((Product) async -> Set<Product.PurchaseOption>)?
    ) -> some View { EmptyView() }
    /// view/oninapppurchasecompletion(perform:)
    nonisolated public func onInAppPurchaseCompletion(
        perform action: ((Product, Result<Product.PurchaseResult, any Error>) async -> Void)?
    ) -> some View { EmptyView() }
}

/// storekit/storeview, …/init(ids:preferspromotionalicon:)
@MainActor @preconcurrency public struct StoreView<Icon: View, PlaceholderIcon: View>: View {
    nonisolated public init(
        ids productIDs: some Collection<String>, prefersPromotionalIcon: Bool = false
    ) where Icon == EmptyView, PlaceholderIcon == EmptyView {}
    public var body: Never { return fatalError("no body") }
}
